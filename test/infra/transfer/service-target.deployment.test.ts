import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RowResult } from '../../../infra/transfer/import-rows.ts';
import type { UserRow } from '../../../infra/transfer/rows.ts';
import { openComparison, openServiceTarget } from '../../../infra/transfer/service-target.ts';
import { type Client, createClient, createKey } from '../../../lib/client/client.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';
import { newPerson } from '../../setup/test-data.ts';

let service: LocalService;
let client: Client;
beforeAll(async () => {
  service = await startLocalService();
  client = createClient({ baseUrl: service.url });
});
afterAll(() => service.stop());

const newRows = (count: number, posts: UserRow['posts'] = []): UserRow[] =>
  Array.from({ length: count }, (_, at) => ({ line: at + 1, size: 100, user: newPerson(), kept: {}, posts }));

const getId = (result: RowResult | undefined): string => (result && 'id' in result ? result.id : '');

const listTitles = (id: string) => Array.fromAsync(client.posts.list(id), ({ title }) => title);

/** Runs `before` just before the first request that contains `text`. */
function openTargetAfter(text: string, before: () => Promise<unknown>, update: boolean) {
  let isDone = false;
  const send: typeof fetch = async (input, init) => {
    if (!isDone && `${init?.method} ${input} ${init?.body}`.includes(text)) {
      isDone = true;
      await before();
    }
    return fetch(input, init);
  };
  const sending = createClient({ baseUrl: service.url, fetch: send, retries: { maxAttempts: 1 } });
  return openServiceTarget(sending, { update, importId: createKey() });
}

test.each([true, false])('a continued run reports the current users, with update: %s', async (update) => {
  const rows = newRows(4, [{ title: 'One' }]);
  const [importId, startedAt] = [createKey(), new Date().toISOString()];
  const [same, renamed, moved, deleted] = (
    await openServiceTarget(client, { update: false, importId }).write(rows)
  ).map(getId);
  await client.users.update(renamed ?? '', { name: 'Renamed' });
  await client.users.update(moved ?? '', { email: newPerson().email });
  await client.users.delete(deleted ?? '');

  const results = await openServiceTarget(client, { update, importId, startedAt }).write(rows);
  expect(results).toEqual([
    { line: 1, result: 'created', id: same },
    { line: 2, result: update ? 'updated' : 'exists', id: renamed },
    { line: 3, result: 'created', id: expect.not.stringContaining(moved ?? '') },
    { line: 4, result: 'created', id: expect.not.stringContaining(deleted ?? '') },
  ]);
  for (const [at, { user }] of rows.entries())
    expect(await client.users.find({ email: user.email })).toMatchObject({
      ...{ ...user, id: getId(results[at]) },
      ...(at === 1 && !update ? { name: 'Renamed' } : {}),
    });
  for (const result of results) expect(await listTitles(getId(result))).toEqual(['One']);
});

test('without update, a user from before the import gets no posts of its row', async () => {
  const [row] = newRows(1, [{ title: 'One' }]) as [UserRow];
  const { id } = await client.users.create(row.user);
  const target = openServiceTarget(client, { update: false, importId: createKey() });
  expect(await target.write([row])).toEqual([{ line: 1, result: 'exists', id }]);
  expect(await listTitles(id)).toEqual([]);
});

test('without update, a row with the id of a user who has moved creates no second user', async () => {
  const [row] = newRows(1) as [UserRow];
  const { id } = await client.users.create(newPerson());
  const target = openServiceTarget(client, { update: false, importId: createKey() });
  expect(await target.write([{ ...row, kept: { id } }])).toEqual([{ line: 1, result: 'exists', id }]);
  expect(await client.users.find({ email: row.user.email })).toBeUndefined();
});

test('a continued run adds posts that the previous run did not reach, even if the user has changed since', async () => {
  const [row] = newRows(1, [{ title: 'One' }]) as [UserRow];
  const importId = createKey();
  // The previous run ended before it wrote the posts.
  const [first] = await openServiceTarget(client, { update: false, importId }).write([{ ...row, posts: [] }]);
  await client.users.update(getId(first), { name: 'Renamed' });
  const target = openServiceTarget(client, { update: false, importId });
  expect(await target.write([row])).toEqual([{ line: 1, result: 'exists', id: getId(first) }]);
  expect(await listTitles(getId(first))).toEqual(['One']);
});

test('any number of erased people are skipped by the ids of the file', async () => {
  const rows = newRows(18).map((row) => ({ ...row, kept: { id: crypto.randomUUID() } }));
  const [erased, deleted] = [await client.users.create(newPerson()), await client.users.create(newPerson())];
  await client.erasures.request(erased.id);
  await client.users.delete(deleted.id);
  const known = [erased, deleted].map(({ id, name, email }, at) => ({
    ...{ line: rows.length + at + 1, size: 100, posts: [] },
    ...{ user: { name, email }, kept: { id } },
  }));
  const importId = createKey();
  const results = await openServiceTarget(client, { update: false, importId }).write([...rows, ...known]);
  expect(results.map(({ result }) => result)).toEqual([...rows.map(() => 'created'), 'erased', 'created']);
  expect(results[rows.length]).toEqual({ line: 19, result: 'erased', id: erased.id });
  const target = openServiceTarget(client, { update: false, despiteErasure: true, importId });
  expect(await target.write(known)).toMatchObject([{ result: 'created' }, { result: 'created' }]);
});

test('an update adds missing posts once, even if repeated', async () => {
  const [row] = newRows(1, [
    { title: 'One', publishedAt: '2026-01-01T00:00:00.000Z' },
    { title: 'Same' },
    { title: 'Same' },
  ]) as [UserRow];
  const { id } = await client.users.create(row.user);
  await client.posts.create({ authorId: id, title: 'Same' });
  for (const _ of [1, 2]) {
    const target = openServiceTarget(client, { update: true, importId: createKey() });
    expect(await target.write([row])).toEqual([{ line: 1, result: 'unchanged', id }]);
  }
  expect((await listTitles(id)).toSorted()).toEqual(['One', 'Same', 'Same']);
});

test('deleting a user while its posts are written does not stop the import', async () => {
  const rows = newRows(2, [{ title: 'One' }]);
  const target = openTargetAfter('createPost', async () => client.users.delete((await find(rows[0]))?.id ?? ''), false);
  const results = await target.write(rows);
  expect(results).toMatchObject([{ result: 'created' }, { result: 'created' }]);
  expect(await client.users.get(getId(results[0]))).toBe(undefined);
  expect(await listTitles(getId(results[1]))).toEqual(['One']);
});

test('a user deleted before the update is created by the next attempt', async () => {
  const [row] = newRows(1) as [UserRow];
  const { id } = await client.users.create({ ...row.user, name: 'Other' });
  row.kept = { id };
  const target = openTargetAfter('UpdateUsers', () => client.users.delete(id), true);
  const error: unknown = await target.write([row]).catch((error) => error);
  expect(target.isBusy(error)).toBe(true);
  expect(await target.write([row])).toMatchObject([{ result: 'created' }]);
  expect(await find(row)).toMatchObject(row.user);
});

test.each([
  ['ids', (id: string) => ({ id })],
  ['addresses', () => ({})],
])('an update by %s reads in batches, and sends only changes', async (_, createKept) => {
  const rows = newRows(3);
  const created = await client.users.upsertMany(
    'email',
    rows.map(({ user }) => user),
  );
  for (const [at, row] of rows.entries()) row.kept = createKept(created[at]?.user?.id ?? '');
  const requests: string[] = [];
  const send: typeof fetch = (input, init) => {
    requests.push(String(init?.body));
    return fetch(input, init);
  };
  const open = () =>
    openServiceTarget(createClient({ baseUrl: service.url, fetch: send }), { update: true, importId: createKey() });
  const [first] = rows as [UserRow];
  expect((await open().write(rows)).map(({ result }) => result)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  expect(requests.filter((body) => /createUsers|updateUsers/.test(body))).toEqual([]);
  expect(requests.length).toBeLessThanOrEqual(2);
  first.user.name = 'Changed';
  if (first.kept.id) first.user.email = newPerson().email;
  expect((await open().write(rows)).map(({ result }) => result)).toEqual(['updated', 'unchanged', 'unchanged']);
  expect(await find(first)).toMatchObject({ ...first.user, id: created[0]?.user?.id });
});

test('a comparison counts changes like an update, and writes nothing', async () => {
  const rows = newRows(7);
  const [same, changed, moved, swapped, byAddress, created, erased] = rows as [UserRow, ...UserRow[]];
  for (const row of rows) {
    if (row === created) continue;
    const { id } = await client.users.create(row.user);
    if (row !== byAddress) row.kept.id = id;
  }
  await client.erasures.request(erased?.kept.id ?? '');
  Object.assign(changed?.user ?? {}, { name: 'Changed' });
  Object.assign(moved?.user ?? {}, { name: 'Changed', email: newPerson().email });
  Object.assign(swapped?.user ?? {}, { email: swapped?.user.email.toUpperCase() });
  const before = await Array.fromAsync(client.users.list());
  const counts = { unchanged: 0, changed: 0, moved: 0, created: 0, erased: 0 };
  await openComparison(client, counts).write(rows);
  expect(counts).toEqual({ unchanged: 2, changed: 2, moved: 1, created: 1, erased: 1 });
  expect(await Array.fromAsync(client.users.list())).toEqual(before);
  const results = await openServiceTarget(client, { update: true, importId: createKey() }).write(rows);
  expect(results.map(({ result }) => result)).toEqual([
    ...['unchanged', 'updated', 'updated', 'updated', 'unchanged', 'created', 'erased'],
  ]);
  expect(await client.users.get(same.kept.id ?? '')).toMatchObject({ version: 1 });
});

test('a retried batch only sends rows without a result', async () => {
  const rows = newRows(3);
  const [, , taken] = rows as [UserRow, UserRow, UserRow];
  await client.users.create(taken.user);
  const sent: number[] = [];
  const send: typeof fetch = async (input, init) => {
    const { variables } = JSON.parse(String(init?.body ?? '{}'));
    if (variables) sent.push(variables.input.users.length);
    // Fails the first look-up of the taken address's owner.
    return `${input}`.includes('email=') && sent.length === 1
      ? new Response('{}', { status: 503 })
      : fetch(input, init);
  };
  const sending = createClient({ baseUrl: service.url, fetch: send, retries: { maxAttempts: 1 } });
  const target = openServiceTarget(sending, { update: false, importId: createKey() });
  const error: unknown = await target.write(rows).catch((error) => error);
  expect(target.isBusy(error)).toBe(true);
  expect(await target.write(rows)).toMatchObject([{ result: 'created' }, { result: 'created' }, { result: 'exists' }]);
  expect(sent).toEqual([3, 1]);
});

test('a row is reported as updated even if its batch was retried', async () => {
  const rows = newRows(2, [{ title: 'One' }]);
  const users = await Promise.all(rows.map(({ user }) => client.users.create({ ...user, name: 'Other' })));
  const target = openTargetAfter('createPost', () => Promise.reject(new Error('reset')), true);
  const error: unknown = await target.write(rows).catch((error) => error);
  expect(target.isBusy(error)).toBe(true);
  expect(await target.write(rows)).toEqual(users.map(({ id }, at) => ({ line: at + 1, result: 'updated', id })));
});

const find = (row: UserRow | undefined) => client.users.find({ email: row?.user.email ?? '' });
