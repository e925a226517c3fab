import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTableTarget, type TableOptions } from '../../../../infra/scripts/transfer/table-target.ts';
import type { RowResult } from '../../../../infra/transfer/import-rows.ts';
import type { UserRow } from '../../../../infra/transfer/rows.ts';
import { table } from '../../../../lib/dynamodb/client.ts';
import { findErasure } from '../../../../lib/features/erasure/record.ts';
import { eraseUser } from '../../../../lib/features/erasure/request.ts';
import { parseUuidTime } from '../../../../lib/input/uuidv7.ts';
import { deleteFirstPosts } from '../../../../lib/posts/purge.ts';
import { findPost, listPosts } from '../../../../lib/posts/read.ts';
import { createPost, deletePost } from '../../../../lib/posts/write.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { queryUsers } from '../../../../lib/users/directory.ts';
import { findUser } from '../../../../lib/users/read.ts';
import { findUserByEmail } from '../../../../lib/users/unique-values.ts';
import type { User } from '../../../../lib/users/user.ts';
import { updateUser } from '../../../../lib/users/write.ts';
import { createUser } from '../../../setup/create-user.ts';
import { newPerson } from '../../../setup/test-data.ts';

afterEach(() => table.middlewareStack.remove('before'));

const open = (update = false) =>
  openTableTarget({
    keepIds: false,
    keepTimes: false,
    despiteErasure: false,
    update,
    startedAt: new Date().toISOString(),
    importId: '',
  });

const KEEPING = { keepIds: true, keepTimes: true, despiteErasure: false, update: false, startedAt: '', importId: '' };

const openKeeping = (despiteErasure = false) => openTableTarget({ ...KEEPING, despiteErasure });

/** Returns the row that an export of the user would contain. */
const toRow = ({ id, name, email, createdAt, updatedAt, version }: Omit<User, 'own'>): UserRow => ({
  ...{ line: 1, size: 100, user: { name, email }, posts: [] },
  kept: { id, createdAt, updatedAt, version },
});

const newRows = (count: number, posts: UserRow['posts'] = []): UserRow[] =>
  Array.from({ length: count }, (_, at) => ({ line: at + 1, size: 100, user: newPerson(), kept: {}, posts }));

const getId = (result: RowResult | undefined): string => (result && 'id' in result ? result.id : '');

/** Runs `before` just before the first request that contains `text`. */
function doBefore(text: string, before: () => Promise<unknown>): void {
  let isDone = false;
  table.middlewareStack.add(
    (next) => async (args) => {
      if (!isDone && JSON.stringify(args.input).includes(text)) {
        isDone = true;
        await before();
      }
      return next(args);
    },
    { step: 'initialize', name: 'before' },
  );
}

const deleteByEmail = async ({ user }: UserRow) => {
  const { users } = await queryUsers(undefined, 1_000);
  await deleteUser({ id: users.find(({ email }) => email === user.email)?.id ?? '' }, 'test');
};

test('deleting a user while its posts are written does not stop the import', async () => {
  const rows = newRows(2, [{ title: 'One' }]);
  doBefore('"ConditionCheck":', () => deleteByEmail(rows[0] as UserRow));
  const results = await (await open()).write(rows);
  expect(results).toMatchObject([{ result: 'created' }, { result: 'created' }]);
  expect(await findUser(getId(results[0]))).toBe(undefined);
  expect(await listPosts(getId(results[1]), {})).toMatchObject([{ title: 'One' }]);
});

test('a user deleted before the update is created by the next attempt', async () => {
  const [row] = newRows(1) as [UserRow];
  const { id } = await createUser({ ...row.user, name: 'Other' });
  const target = await open(true);
  doBefore('UpdateExpression', () => deleteUser({ id }, 'test'));
  const error: unknown = await target.write([row]).catch((error) => error);
  expect(target.isBusy(error)).toBe(true);
  const [result] = await target.write([row]);
  expect(result).toMatchObject({ result: 'created' });
  expect(await findUser(getId(result))).toMatchObject(row.user);
});

test('a row is reported as updated even if its batch was retried', async () => {
  const rows = newRows(2, [{ title: 'One' }]);
  const users = await Promise.all(rows.map(({ user }) => createUser({ ...user, name: 'Other' })));
  const target = await open(true);
  doBefore('"ConditionCheck":', () => Promise.reject(Object.assign(new Error(), { name: 'ThrottlingException' })));
  const error: unknown = await target.write(rows).catch((error) => error);
  expect(target.isBusy(error)).toBe(true);
  expect(await target.write(rows)).toEqual(users.map(({ id }, at) => ({ line: at + 1, result: 'updated', id })));
});

test('an update with kept ids changes the user with the id, also its address', async () => {
  const user = await createUser(newPerson());
  const changed = { ...newPerson(), name: 'Changed' };
  const row = { ...toRow({ ...user, ...changed }), posts: [{ title: 'One' }] };
  const target = await openTableTarget({ ...KEEPING, update: true });
  expect(await target.write([row])).toEqual([{ line: 1, result: 'updated', id: user.id }]);
  expect(await findUser(user.id)).toMatchObject(changed);
  expect(await listPosts(user.id, {})).toMatchObject([{ title: 'One' }]);
  expect(await target.write([{ ...row }])).toEqual([{ line: 1, result: 'unchanged', id: user.id }]);
});

test('an update with kept ids moves addresses from user to user, in any order of the rows', async () => {
  const users = await Promise.all([newPerson(), newPerson(), newPerson()].map((person) => createUser(person)));
  const [ada, bob, eve] = users as [User, User, User];
  const free = newPerson().email;
  const rows = [
    { ...eve, email: bob.email },
    {
      ...newPerson(),
      ...{ id: uuidv7(), email: eve.email, createdAt: eve.createdAt, updatedAt: eve.updatedAt, version: 1 },
    },
    { ...bob, email: ada.email },
    { ...ada, email: free },
  ].map((user, at) => ({ ...toRow(user), line: at + 1 }));
  const target = await openTableTarget({ ...KEEPING, update: true });
  const results = await target.write(rows);
  expect(results.map(({ line, result }) => [line, result])).toEqual([
    [1, 'updated'],
    [2, 'created'],
    [3, 'updated'],
    [4, 'updated'],
  ]);
  for (const { kept, user } of rows) expect(await findUser(kept.id ?? '')).toMatchObject(user);
  // Two users who swap addresses block each other.
  const swapped = [
    { ...ada, email: ada.email },
    { ...bob, email: free },
  ].map((user) => toRow(user));
  expect(await target.write(swapped)).toMatchObject([{ result: 'invalid' }, { result: 'invalid' }]);
});

test('by default, an import with kept ids does not bring back posts that an existing user has deleted', async () => {
  const user = await createUser(newPerson());
  const { id } = await createPost({ authorId: user.id, title: 'One' }, 'test');
  const row = { ...toRow(user), posts: [{ id, title: 'One' }] };
  await deletePost({ id }, 'test');
  expect(await (await openKeeping()).write([row])).toEqual([{ line: 1, result: 'exists', id: user.id }]);
  expect(await listPosts(user.id, {})).toEqual([]);
});

test('an update adds missing posts once, even if repeated', async () => {
  const [row] = newRows(1, [{ title: 'One', publishedAt: '2026-01-01T00:00:00.000Z' }]) as [UserRow];
  const [result] = await (await open()).write([row]);
  const more = { ...row, posts: [{ title: 'Two' }, { title: 'Two' }, ...row.posts] };
  for (const _ of [1, 2]) await (await open(true)).write([more]);
  const posts = await listPosts(getId(result), {});
  expect(posts.map(({ title }) => title).toSorted()).toEqual(['One', 'Two', 'Two']);
});

test('a user of another table keeps times and version, without reading a deletion record', async () => {
  const time = '2026-01-01T00:00:00.000Z';
  const user = { ...newPerson(), id: uuidv7(), createdAt: time, updatedAt: time, version: 7 };
  const requests = vi.spyOn(table, 'send');
  const [result] = await (await openKeeping()).write([toRow(user)]);
  expect(requests.mock.calls.map(([command]) => command.constructor.name)).toEqual(['TransactWriteCommand']);
  requests.mockRestore();
  expect(result).toEqual({ line: 1, result: 'created', id: user.id });
  expect(await findUser(user.id)).toMatchObject(user);
});

describe('kept times with new ids', () => {
  const CREATED = '2019-05-01T12:00:00.000Z';
  let options: TableOptions;
  beforeEach(() => {
    options = { ...KEEPING, keepIds: false, importId: randomUUID() };
  });
  const newRow = (): UserRow => ({ ...(newRows(1)[0] as UserRow), kept: { createdAt: CREATED, version: 3 } });

  test('a repeated row creates no second user, even if the first has changed', async () => {
    const row = { ...newRow(), posts: [{ title: 'One' }] };
    const [first] = await (await openTableTarget(options)).write([row]);
    const id = getId(first);
    expect(await findUser(id)).toMatchObject({ createdAt: CREATED, updatedAt: CREATED, version: 3 });
    expect(parseUuidTime(id)).toBe(Date.parse(CREATED));
    await updateUser({ id, email: newPerson().email }, 'test');
    expect(await (await openTableTarget(options)).write([{ ...row }])).toEqual([{ line: 1, result: 'created', id }]);
    expect(await findUserByEmail(row.user.email)).toBe(undefined);
    expect(await listPosts(id, {})).toHaveLength(1);
  });

  test('a retry writes the posts of a user whom the first attempt has created', async () => {
    const row = { ...newRow(), posts: [{ title: 'One' }] };
    const target = await openTableTarget(options);
    const [{ id = '' } = {}] = (await target.write([{ ...row, posts: [] }])) as { id: string }[];
    expect(await target.write([row])).toEqual([{ line: 1, result: 'created', id }]);
    expect(await listPosts(id, {})).toMatchObject([{ title: 'One' }]);
  });

  test('another import finds the user by address, and does not change the times', async () => {
    const row = newRow();
    const [first] = await (await openTableTarget(options)).write([row]);
    const changed = { ...row, user: { ...row.user, name: 'Changed' }, kept: { createdAt: '2020-01-01T00:00:00.000Z' } };
    const target = await openTableTarget({ ...options, importId: randomUUID(), update: true });
    expect(await target.write([changed])).toEqual([{ line: 1, result: 'updated', id: getId(first) }]);
    expect(await findUser(getId(first))).toMatchObject({ name: 'Changed', createdAt: CREATED, version: 4 });
  });

  test('an erased person is skipped, and the other rows of the batch are written', async () => {
    const user = await createUser(newPerson());
    await eraseUser({ id: user.id }, 'test');
    const rows = [newRow(), { ...toRow(user), line: 2 }, { ...newRow(), line: 3 }];
    const results = await (await openTableTarget(options)).write(rows);
    expect(results).toMatchObject([
      { line: 1, result: 'created' },
      { line: 2, result: 'erased', id: user.id },
      { line: 3, result: 'created' },
    ]);
    expect(await findUser(getId(results[2]))).toMatchObject(rows[2]?.user ?? {});
  });
});

test('an address of another user is an issue of a row with a kept id, and exists in a row without', async () => {
  const { id, email } = await createUser(newPerson());
  const row: UserRow = { line: 1, size: 100, user: { name: 'Other', email }, kept: { id: uuidv7() }, posts: [] };
  const issues = [{ column: 'email', message: `Another user has this email: ${id}` }];
  expect(await (await openKeeping()).write([row])).toEqual([{ line: 1, result: 'invalid', issues }]);
  expect(await (await open()).write([row])).toEqual([{ line: 1, result: 'exists', id }]);
});

test('a deleted user returns with the next version after the deletion and the time of the import', async () => {
  const user = await createUser(newPerson());
  await updateUser({ id: user.id, name: 'Later' }, 'test');
  await deleteUser({ id: user.id }, 'test');
  expect(await (await openKeeping()).write([toRow(user)])).toEqual([{ line: 1, result: 'created', id: user.id }]);
  const back = await findUser(user.id);
  expect(back).toMatchObject({ name: user.name, createdAt: user.createdAt, version: 4 });
  expect(back?.updatedAt).not.toBe(user.updatedAt);
  expect(await (await openKeeping()).write([toRow(user)])).toMatchObject([{ result: 'exists', id: user.id }]);
  expect(await findUser(user.id)).toMatchObject({ version: 4 });
});

test('a user who returns and is deleted between two attempts continues after the last deletion', async () => {
  const user = await createUser(newPerson());
  await deleteUser({ id: user.id }, 'test');
  doBefore('attribute_not_exists(erasure)', async () => {
    await (await openKeeping()).write([toRow(user)]);
    await deleteUser({ id: user.id }, 'test');
  });
  expect(await (await openKeeping()).write([toRow(user)])).toMatchObject([{ result: 'created' }]);
  expect(await findUser(user.id)).toMatchObject({ version: 5 });
});

test('posts that return have higher versions than before', async () => {
  const user = await createUser(newPerson());
  const id = `${user.id}.${uuidv7()}`;
  const row = { ...toRow(user), posts: [{ id, title: 'One', version: 3 }] };
  await (await openTableTarget({ ...KEEPING, update: true })).write([row]);
  expect(await findPost(id)).toMatchObject({ version: 3 });
  await deleteUser({ id: user.id }, 'test');
  await deleteFirstPosts(user.id);
  await (await openKeeping()).write([row]);
  const { version = 0 } = (await findPost(id)) ?? {};
  expect(version).toBeGreaterThan(4);
  await deletePost({ id }, 'test');
  await (await openKeeping()).write([row]);
  expect((await findPost(id))?.version).toBeGreaterThanOrEqual(version);
});

describe('a person who was erased', () => {
  const erase = async () => {
    const user = await createUser(newPerson());
    await eraseUser({ id: user.id }, 'test');
    return user;
  };

  test('is skipped, with a kept or new id, and the other rows of the batch are written', async () => {
    const user = await erase();
    const [other] = newRows(1);
    const rows = [toRow(user), { ...(other as UserRow), line: 2, kept: { id: uuidv7() } }];
    for (const target of [await openKeeping(), await open()])
      expect(await target.write(rows)).toEqual([
        { line: 1, result: 'erased', id: user.id },
        { line: 2, result: expect.stringMatching('created|exists'), id: expect.any(String) },
      ]);
    expect(await findUser(user.id)).toBe(undefined);
    expect(await findUserByEmail(user.email)).toBe(undefined);
    expect(await findErasure(user.id)).toMatchObject({ completedAt: null });
  });

  test('returns with --despite-erasure, which withdraws the erasure', async () => {
    const user = await erase();
    expect(await (await openKeeping(true)).write([toRow(user)])).toEqual([
      { line: 1, result: 'created', id: user.id, despiteErasure: true },
    ]);
    expect(await findUser(user.id)).toMatchObject({ version: 3 });
    expect(await findErasure(user.id)).toBe(undefined);
  });

  test('is not written when the erasure is requested during the import', async () => {
    const user = await createUser(newPerson());
    await deleteUser({ id: user.id }, 'test');
    doBefore('version = :version AND attribute_not_exists(erasure)', () => eraseUser({ id: user.id }, 'test'));
    expect(await (await openKeeping()).write([toRow(user)])).toMatchObject([{ result: 'erased' }]);
    expect(await findErasure(user.id)).toMatchObject({ completedAt: null });
  });
});

test('an update without kept ids finds users by their ids, then by their addresses, and reads them in batches', async () => {
  const [moved, known] = [await createUser(newPerson()), await createUser(newPerson())];
  const rows = [
    { ...toRow({ ...moved, email: newPerson().email }), line: 1 },
    { ...toRow({ ...known, name: 'Changed' }), line: 2, kept: {} },
    { ...toRow({ ...moved, ...newPerson() }), line: 3, kept: {} },
  ];
  const target = await openTableTarget({ ...KEEPING, keepIds: false, keepTimes: false, update: true });
  const results = await target.write(rows);
  expect(results).toEqual([
    { line: 1, result: 'updated', id: moved.id },
    { line: 2, result: 'updated', id: known.id },
    { line: 3, result: 'created', id: expect.any(String) },
  ]);
  const sendRequest = vi.spyOn(table, 'send');
  const again = await openTableTarget({ ...KEEPING, keepIds: false, keepTimes: false, update: true });
  expect((await again.write(rows.slice(0, 2).map((row) => ({ ...row })))).map(({ result }) => result)).toEqual([
    'unchanged',
    'unchanged',
  ]);
  expect(new Set(sendRequest.mock.calls.map(([command]) => command.constructor.name))).toEqual(
    new Set(['BatchGetCommand']),
  );
  sendRequest.mockRestore();
});

test('an update by id does not take the address of another user', async () => {
  const { email } = await createUser(newPerson());
  const target = await openTableTarget({ ...KEEPING, keepIds: false, update: true, by: 'id' });
  const [row] = [{ ...toRow({ ...(await createUser(newPerson())), email }), kept: {} }];
  expect(await target.write([row])).toMatchObject([{ result: 'invalid', issues: [{ column: 'email' }] }]);
  await expect(openTableTarget({ ...KEEPING, update: true, by: 'name' })).rejects.toThrow(
    '--by must be one of id, email',
  );
});
