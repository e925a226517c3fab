import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { requirePostKey, userKey } from '../../../../lib/dynamodb/keys.ts';
import { environment } from '../../../../lib/environment.ts';
import { sizes } from '../../../../lib/sizes.ts';
import { createUser as create, createPost, execute, fetchData, mutate } from '../../graphql/client.ts';
import { findItem, logChange, logWrite } from '../../on-change/log-write.ts';
import { clearTable } from '../page-index/fixtures.ts';

const HOUR_MS = 3_600_000;
const { now } = environment;
const { refsPerPage } = sizes;

beforeEach(clearTable);
afterEach(() => {
  environment.now = now;
  delete process.env.CHANGE_LOG;
  sizes.refsPerPage = refsPerPage;
});

type Deleted = {
  at: string;
  by: string | null;
  restorableUntil: string;
  mergedInto: string | null;
  user: { name: string; email: string };
};
type Page = { nodes: Deleted[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };

const DELETED_USERS = `query ($first: Int, $after: String) {
  deletedUsers(first: $first, after: $after) {
    nodes { at by restorableUntil mergedInto user { name email } } pageInfo { hasNextPage endCursor }
  }
}`;

const readPage = async (first = 20, after: string | null = null): Promise<Page> =>
  (await fetchData<{ deletedUsers: Page }>(DELETED_USERS, { first, after })).deletedUsers;

async function readNames(first?: number): Promise<string[]> {
  const names: string[] = [];
  let page: Page | undefined;
  do {
    page = await readPage(first, page?.pageInfo.endCursor);
    names.push(...page.nodes.map(({ user }) => user.name));
  } while (page.pageInfo.hasNextPage);
  return names;
}

async function createUser(name: string): Promise<string> {
  const { id } = await create({ name });
  await logChange(undefined, await findItem(userKey(id)));
  return id;
}

const remove = (id: string, input: object = {}) =>
  logWrite(userKey(id), () => mutate('deleteUser', { id, ...input }, { caller: 'ann' }));

async function createDeleted(name: string): Promise<string> {
  const id = await createUser(name);
  await remove(id);
  return id;
}

test('lists deleted users with time, caller and last values, latest deletion first', async () => {
  await createUser('Kept');
  await createDeleted('Ada');
  await createDeleted('Bob');
  const { nodes, pageInfo } = await readPage();
  expect(nodes).toMatchObject([
    { by: 'sub:ann', user: { name: 'Bob' } },
    { by: 'sub:ann', user: { name: 'Ada' } },
  ]);
  expect(pageInfo.hasNextPage).toBe(false);
  const [{ at, restorableUntil }] = nodes as [Deleted];
  const keptMs = Math.max(1, environment.historyDays) * 24 * HOUR_MS;
  // DynamoDB rounds the stream's times down to a second.
  expect(Math.abs(Date.parse(restorableUntil) - Date.parse(at) - keptMs)).toBeLessThan(1000);
});

test('names the other user of a merge', async () => {
  await createDeleted('Deleted');
  const [keep, id] = [await createUser('Kept'), await createUser('Merged')];
  await logWrite(userKey(id), () => mutate('mergeUsers', { keep, remove: id }));
  expect((await readPage()).nodes).toMatchObject([
    { user: { name: 'Merged' }, mergedInto: keep },
    { user: { name: 'Deleted' }, mergedInto: null },
  ]);
});

test('omits a restored user, and lists a user who was deleted twice once', async () => {
  const restored = await createDeleted('Restored');
  const twice = await createDeleted('Twice');
  await createDeleted('Last');
  for (const id of [restored, twice]) await logWrite(userKey(id), () => mutate('restoreUser', { id }));
  await remove(twice);
  expect(await readNames()).toEqual(['Twice', 'Last']);
  expect(await readNames(1)).toEqual(['Twice', 'Last']);
});

test('omits a user restored before the log has the restore', async () => {
  const id = await createDeleted('Ada');
  await mutate('restoreUser', { id });
  expect(await readNames()).toEqual([]);
});

test('omits erased persons, also while the erasure is pending', async () => {
  const id = await createUser('Erased');
  await remove(id, { erase: true });
  const later = await createDeleted('Erased later');
  await mutate('deleteUser', { id: later, erase: true });
  await createDeleted('Deleted');
  expect(await readNames()).toEqual(['Deleted']);
});

test('omits posts, and shows no caller for a user deleted by hand', async () => {
  const id = await createUser('By hand');
  const post = await createPost(id);
  await logWrite(requirePostKey(post.id), () => mutate('deletePost', { id: post.id }));
  await logWrite(userKey(id), () => table.send(new DeleteCommand({ TableName, Key: userKey(id) })));
  expect((await readPage()).nodes).toMatchObject([{ by: null, user: { name: 'By hand' } }]);
});

test('pages contain each user once, also if others are deleted in between', async () => {
  for (const name of ['1', '2', '3', '4', '5']) await createDeleted(name);
  const first = await readPage(2);
  await createDeleted('6');
  const second = await readPage(2, first.pageInfo.endCursor);
  const third = await readPage(2, second.pageInfo.endCursor);
  expect([first, second, third].map(({ nodes }) => nodes.map(({ user }) => user.name))).toEqual([
    ['5', '4'],
    ['3', '2'],
    ['1'],
  ]);
  expect(third.pageInfo.hasNextPage).toBe(false);
});

test('a page that only passes other changes is empty, and a following one has the deletion', async () => {
  await createDeleted('Ada');
  for (let count = 0; count < 25; count++) await createUser(`Kept ${count}`);
  sizes.refsPerPage = 20;
  const page = await readPage();
  expect(page).toMatchObject({ nodes: [], pageInfo: { hasNextPage: true } });
  expect(await readNames()).toEqual(['Ada']);
});

test('omits deletions that can no longer be restored', async () => {
  const id = await createDeleted('Expired');
  environment.now = () => now() + (Math.max(1, environment.historyDays) * 24 + 1) * HOUR_MS;
  await createDeleted('Recent');
  expect(await readNames()).toEqual(['Recent']);
  expect((await mutate('restoreUser', { id })).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
});

test.each(['x', btoa('["another","1",0]')])('rejects the cursor %s', async (after) => {
  expect((await execute(DELETED_USERS, { after })).errors).toMatchObject([
    { message: expect.stringContaining('cursor of this connection'), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

test('is rejected while histories are turned off', async () => {
  process.env.CHANGE_LOG = 'off';
  expect((await execute(DELETED_USERS)).errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
});
