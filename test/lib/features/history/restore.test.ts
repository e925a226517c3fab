import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import type { BatchGetCommandOutput } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test } from 'vitest';
import { deleteItems } from '../../../../lib/dynamodb/batch.ts';
import { table } from '../../../../lib/dynamodb/client.ts';
import { deletionKey, requirePostKey, userKey } from '../../../../lib/dynamodb/keys.ts';
import { environment } from '../../../../lib/environment.ts';
import { readLatestEntries } from '../../../../lib/features/change-log/read.ts';
import { userTopic } from '../../../../lib/features/change-log/topics.ts';
import { erasureJob } from '../../../../lib/features/erasure/job.ts';
import { runJobs } from '../../../../lib/maintenance/run.ts';
import { returnUsers } from '../../../../lib/users/return.ts';
import {
  createUser as create,
  createPost,
  execute,
  fetchData,
  listPosts,
  mutate,
  readUser,
  type User,
} from '../../graphql/client.ts';
import { findItem, logChange, logWrite } from '../../on-change/log-write.ts';
import { UNKNOWN_ID } from '../../rest/client.ts';
import { failRequests } from '../change-log/fail-requests.ts';

const { now } = environment;
const passTime = (ms: number) => {
  const later = now() + ms;
  environment.now = () => later;
};
afterEach(() => {
  environment.now = now;
  table.middlewareStack.remove('before');
});

const MINUTE = 60_000;

async function createUser(): Promise<User> {
  const user = await create({ name: 'Ada' });
  await logChange(undefined, await findItem(userKey(user.id)));
  return user;
}

async function createDeleted(): Promise<User> {
  const user = await createUser();
  await logWrite(userKey(user.id), () => mutate('deleteUser', { id: user.id }, { caller: 'ann' }));
  return user;
}

const restore = (id: string) => mutate('restoreUser', { id }, { caller: 'bob' });

const getError = ({ errors = [] }: Awaited<ReturnType<typeof restore>>) => errors[0]?.extensions;

/** Runs `before` once, before the first DynamoDB request with `text`. */
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

/** Only the transaction of a restore has this condition, so `doBefore` can recognize it. */
const RETURN = 'attribute_not_exists(erasure)';

test('a restored user has the last values, the same id and creation time, and the version after the deletion', async () => {
  const { id } = await createUser();
  const name = `King${id.slice(-12)}`;
  await logWrite(userKey(id), () => mutate('updateUser', { id, name }));
  const before = await readUser(id);
  await logWrite(userKey(id), () => mutate('deleteUser', { id }));
  expect((await restore(id.toUpperCase())).payload?.user).toMatchObject({ id, name, version: 4 });
  expect(await readUser(id)).toMatchObject({ ...before, version: 4, updatedAt: expect.any(String) });
  expect((await findItem(userKey(id)))?.by).toBe('sub:bob');
  expect(getError(await mutate('createUser', { name: 'Eve', email: before?.email }))).toMatchObject({
    reason: 'EMAIL_TAKEN',
  });
  const { users } = await fetchData<{ users: { edges: { node: User }[] } }>(
    'query ($search: String) { users(search: $search) { edges { node { id } } } }',
    { search: name },
  );
  expect(users.edges.map(({ node }) => node.id)).toEqual([id]);
});

test('the log shows the restore as a creation with the next version', async () => {
  const { id } = await createDeleted();
  await logWrite(userKey(id), () => restore(id));
  expect(await readLatestEntries(userTopic(id), undefined, 3)).toMatchObject([
    { kind: 'CREATED', version: 3, by: 'sub:bob' },
    { kind: 'DELETED', version: 2, by: 'sub:ann' },
    { kind: 'CREATED', version: 1 },
  ]);
});

test('a user is restored before the log has the deletion, which shows its caller later', async () => {
  const { id } = await createUser();
  const stored = await findItem(userKey(id));
  await mutate('deleteUser', { id }, { caller: 'ann' });
  const { at } = (await findItem(deletionKey(userKey(id)))) ?? {};
  expect((await restore(id)).payload?.user).toMatchObject({ id, name: 'Ada', version: 3 });
  const restored = await findItem(userKey(id));
  await mutate('deleteUser', { id }, { caller: 'eve' });
  await logChange(stored, undefined);
  await logChange(undefined, restored);
  await logChange(restored, undefined);
  expect(await readLatestEntries(userTopic(id), undefined, 3)).toMatchObject([
    { kind: 'DELETED', version: 4, by: 'sub:eve' },
    { kind: 'CREATED', version: 3, by: 'sub:bob' },
    { kind: 'DELETED', version: 2, by: 'sub:ann', at },
  ]);
});

test('remaining posts return, and a late delivery of the deletion keeps them', async () => {
  const { id } = await createUser();
  const post = await createPost(id);
  const stored = await findItem(userKey(id));
  await mutate('deleteUser', { id });
  await restore(id);
  await logChange(stored, undefined);
  expect(await listPosts(id)).toMatchObject([{ id: post.id }]);
});

test('posts stay if the user returns just before they are deleted', async () => {
  const { id } = await createUser();
  const post = await createPost(id);
  const stored = await findItem(userKey(id));
  await mutate('deleteUser', { id });
  doBefore('"Delete":', () => restore(id));
  await logChange(stored, undefined);
  expect(await findItem(requirePostKey(post.id))).toBeDefined();
  expect(await listPosts(id)).toHaveLength(1);
});

test('of two parallel restores one succeeds, and the other reports that the user exists', async () => {
  const { id } = await createDeleted();
  const answers = await Promise.all([restore(id), restore(id)]);
  expect(answers.map(({ payload }) => payload?.user.version).toSorted()).toEqual([3, undefined]);
  expect(answers.flatMap((answer) => getError(answer) ?? [])).toEqual([
    expect.objectContaining({ code: 'CONFLICT', reason: 'USER_EXISTS' }),
  ]);
});

test('a faster import of the same id wins', async () => {
  const { id, email } = await createDeleted();
  const time = new Date().toISOString();
  const imported = { id, name: 'Import', email, own: {}, createdAt: time, updatedAt: time, version: 1 };
  doBefore(RETURN, () => returnUsers([{ create: () => ({ ...imported, by: 'system' }) }]));
  expect(getError(await restore(id))).toMatchObject({ code: 'CONFLICT', reason: 'USER_EXISTS' });
  expect(await readUser(id)).toMatchObject({ name: 'Import', version: 3 });
});

test('a user restored, changed and deleted meanwhile is restored with the latest values', async () => {
  const { id } = await createDeleted();
  doBefore(RETURN, async () => {
    await logWrite(userKey(id), () => restore(id));
    await logWrite(userKey(id), () => mutate('updateUser', { id, name: 'Ada King' }));
    await logWrite(userKey(id), () => mutate('deleteUser', { id }));
  });
  expect((await restore(id)).payload?.user).toMatchObject({ name: 'Ada King', version: 6 });
});

test('a user with a taken address or id cannot be restored', async () => {
  const { id, email } = await createDeleted();
  expect(getError(await restore((await create()).id))).toMatchObject({ code: 'CONFLICT', reason: 'USER_EXISTS' });
  await create({ email });
  const issues = [{ path: ['email'], message: 'Another user has this email' }];
  expect(getError(await restore(id))).toMatchObject({ code: 'CONFLICT', reason: 'EMAIL_TAKEN', issues });
});

test('an erased person cannot be restored, neither during the erasure nor afterwards', async () => {
  const { id } = await createUser();
  await logWrite(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  expect(getError(await restore(id))).toMatchObject({ code: 'NOT_FOUND' });
  passTime(6 * MINUTE);
  await runJobs([erasureJob], () => true);
  expect(Object((await runJobs([erasureJob], () => true)).erasures).erased).toContain(id);
  expect(getError(await restore(id))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a person with an erasure requested meanwhile is not restored', async () => {
  const { id } = await createDeleted();
  doBefore(RETURN, () => mutate('deleteUser', { id, erase: true }));
  expect(getError(await restore(id))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await findItem(userKey(id))).toBe(undefined);
});

test.each([UNKNOWN_ID, 'ada', ''])('the unknown user %j cannot be restored', async (id) => {
  expect(getError(await restore(id))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a user with an expired history cannot be restored', async () => {
  const { id } = await createDeleted();
  passTime(25 * 60 * MINUTE);
  expect(getError(await restore(id))).toMatchObject({ code: 'NOT_FOUND' });
});

test('a user deleted by hand is restored with the next version', async () => {
  const { id } = await createUser();
  const stored = await findItem(userKey(id));
  await logWrite(userKey(id), () => deleteByHand(id));
  expect(await findItem(deletionKey(userKey(id)))).toMatchObject({ version: 2 });
  expect((await restore(id)).payload?.user).toMatchObject({ id, name: stored?.name, version: 3 });
});

test('a deletion by hand is recorded although another transaction holds the deletion record', async () => {
  const { id } = await createUser();
  let conflicts = 0;
  {
    using _ = failRequests((request) =>
      request.includes('attribute_not_exists(version)') && conflicts++ === 0 ? conflict(request) : undefined,
    );
    await logWrite(userKey(id), () => deleteByHand(id));
  }
  expect(conflicts).toBeGreaterThan(0);
  expect(await findItem(deletionKey(userKey(id)))).toMatchObject({ version: 2 });
});

/** DynamoDB's answer to a write of an item that a transaction is writing. */
function conflict(request: string): Error {
  const options = { message: 'Transaction is ongoing for the item', $metadata: {} };
  return request.includes('TransactItems')
    ? new TransactionCanceledException({ ...options, CancellationReasons: [{ Code: 'TransactionConflict' }] })
    : new TransactionConflictException(options);
}

const deleteByHand = (id: string) => deleteItems([userKey(id)]);

test('a service without a change log rejects restores', async () => {
  const { id } = await createDeleted();
  process.env.CHANGE_LOG = 'off';
  try {
    expect(getError(await restore(id))).toMatchObject({ code: 'BAD_REQUEST' });
  } finally {
    delete process.env.CHANGE_LOG;
  }
});

test('other fields of the request see the restored user', async () => {
  const { id } = await createDeleted();
  const mutation = `mutation ($id: ID!) {
    first: restoreUser(input: { id: $id }) { user { version } }
    second: updateUser(input: { id: $id, name: "Bea" }) { user { name version } }
  }`;
  expect((await execute(mutation, { id })).data).toEqual({
    first: { user: { version: 3 } },
    second: { user: { name: 'Bea', version: 4 } },
  });
});

test("a restore succeeds although the database's answer is lost", async () => {
  const { id } = await createDeleted();
  let isLost = false;
  table.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      if (isLost || !JSON.stringify(args.input).includes(RETURN)) return result;
      isLost = true;
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: {} });
    },
    { step: 'deserialize', name: 'before', priority: 'low' },
  );
  const { payload } = await restore(id);
  expect(isLost).toBe(true);
  expect(payload?.user).toMatchObject({ id, version: 3 });
});

test('restores a user whose deletion lands between the two reads of a BatchGetItem', async () => {
  const { id } = await createUser();
  let isSplit = false;
  table.middlewareStack.add(
    (next) => async (args) => {
      const isRead = 'RequestItems' in args.input && JSON.stringify(args.input).includes('"DELETED"');
      if (isSplit || !isRead) return next(args);
      isSplit = true;
      // Simulates that the batch reads the deletion record before the deletion, and the user after it.
      await mutate('deleteUser', { id });
      const result = await next(args);
      (result.output as BatchGetCommandOutput).Responses = {};
      return result;
    },
    { step: 'initialize', name: 'before' },
  );
  const { payload } = await restore(id);
  expect(isSplit).toBe(true);
  expect(payload?.user).toMatchObject({ id, version: 3 });
});

test('a user who changed and was deleted while the log was off is not found, and others are restored', async () => {
  const [changed, deleted] = [await createUser(), await createUser()];
  process.env.CHANGE_LOG = 'off';
  try {
    await logWrite(userKey(changed.id), () => mutate('updateUser', { id: changed.id, name: 'Bea' }));
    for (const { id } of [changed, deleted]) await logWrite(userKey(id), () => mutate('deleteUser', { id }));
  } finally {
    delete process.env.CHANGE_LOG;
  }
  expect(getError(await restore(changed.id))).toMatchObject({ code: 'NOT_FOUND' });
  expect((await restore(deleted.id)).payload?.user).toMatchObject({ id: deleted.id, version: 3 });
});
