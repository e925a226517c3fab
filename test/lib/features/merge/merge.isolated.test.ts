import { isDeepStrictEqual } from 'node:util';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Item } from '../../../../lib/dynamodb/keys.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/logins-fields.json';
});

const { TableName, table } = await import('../../../../lib/dynamodb/client.ts');
const { deletionKey, postReturnKey, purgeKey, uniqueKey, userKey } = await import('../../../../lib/dynamodb/keys.ts');
const { environment } = await import('../../../../lib/environment.ts');
const { erasureJob } = await import('../../../../lib/features/erasure/job.ts');
const { runJobs } = await import('../../../../lib/maintenance/run.ts');
const { Budget } = await import('../../../../lib/graphql/budget.ts');
const { sizes } = await import('../../../../lib/sizes.ts');
const { execute, fetchData, listPosts, mutate } = await import('../../graphql/client.ts');
const { findItem, logChange } = await import('../../on-change/log-write.ts');

const { now } = environment;
const { movedPosts, purgedPosts, scannedPosts } = sizes;
/** The last state that `on-change` has seen, by key. */
let seen = new Map<string, Item | undefined>();

beforeEach(() => {
  seen = new Map();
  sizes.movedPosts = 2;
  sizes.purgedPosts = 3;
  sizes.scannedPosts = 5;
});
afterEach(() => {
  environment.now = now;
  Object.assign(sizes, { movedPosts, purgedPosts, scannedPosts });
  table.middlewareStack.remove('before');
});

/** Delivers the changes of users, and of the items that trigger `on-change` again, until there are none. */
async function deliver(...ids: string[]): Promise<void> {
  const keys = ids.flatMap((id) => [userKey(id), purgeKey(id), postReturnKey(id)]);
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const key of keys) {
      const [before, after] = [seen.get(JSON.stringify(key)), await findItem(key)];
      if (isDeepStrictEqual(before, after)) continue;
      seen.set(JSON.stringify(key), after);
      await logChange(before, after);
      hasChanged = true;
    }
  }
}

type Result = { errors?: { extensions: { code: string; reason?: string } }[] };

const getReason = ({ errors = [] }: Result) => errors[0]?.extensions.reason;
const getErrorCode = ({ errors = [] }: Result) => errors[0]?.extensions.code;

type User = { id: string; name: string; email: string; version: number; sub: string[] | null; nickname: string | null };

const FIELDS = 'id name email version sub nickname status';
const newNickname = () => `n${crypto.randomUUID().slice(0, 8)}`;

async function create(values: object = {}): Promise<User> {
  const input = { name: 'Ada King', email: `${crypto.randomUUID()}@example.org`, ...values };
  const { createUser } = await fetchData<{ createUser: { user: User } }>(
    `mutation ($input: CreateUserInput!) { createUser(input: $input) { user { ${FIELDS} } } }`,
    { input },
  );
  await deliver(createUser.user.id);
  return createUser.user;
}

const read = async (id: string) =>
  (await fetchData<{ user: User | null }>(`query ($id: ID!) { user(id: $id) { ${FIELDS} } }`, { id })).user;

const merge = (input: object, caller = 'bob') =>
  execute<{ mergeUsers: { user: User } | null }>(
    `mutation ($input: MergeUsersInput!) { mergeUsers(input: $input) { user { ${FIELDS} } } }`,
    { input },
    { caller },
  );

const undo = (id: string) =>
  execute<{ undoMerge: { kept: User; restored: User } | null }>(
    `mutation ($input: UndoMergeInput!) { undoMerge(input: $input) { kept { ${FIELDS} } restored { ${FIELDS} } } }`,
    { input: { id } },
    { caller: 'cy' },
  );

async function mergeDelivered(keep: User, remove: User, values: object = {}): Promise<void> {
  const { errors } = await merge({ keep: keep.id, remove: remove.id, values });
  if (errors) throw new Error(JSON.stringify(errors));
  await deliver(keep.id, remove.id);
}

async function createPosts(authorId: string, count: number): Promise<void> {
  for (let at = 1; at <= count; at++) await mutate('createPost', { authorId, title: `Post ${at}` });
}

const listTitles = async (id: string) => (await listPosts(id)).map(({ title }) => title);

const readHistory = async (id: string) =>
  (
    await fetchData<{ userHistory: { nodes: object[]; earlierRecords: string[] } }>(
      'query ($id: ID!) { userHistory(id: $id) { nodes { kind by merged mergedInto } earlierRecords } }',
      { id },
    )
  ).userHistory;

/** Runs `run` once, before the first DynamoDB request with `text`, or the one with number `count`. */
function doBefore(text: string, run: () => Promise<unknown>, count = 1): void {
  let left = count;
  table.middlewareStack.add(
    (next) => async (args) => {
      if (left > 0 && JSON.stringify(args.input).includes(text) && --left === 0) await run();
      return next(args);
    },
    { step: 'initialize', name: 'before' },
  );
}

test('the kept user gets the chosen values and the logins of both, and the other user is deleted', async () => {
  const [keep, remove] = [await create({ sub: ['a1'] }), await create({ sub: ['b1', 'b2'], nickname: newNickname() })];
  const values = { name: 'Ada', email: remove.email, nickname: remove.nickname };
  const ifVersions = { keep: 1, remove: 1 };
  const { data } = await merge({ keep: keep.id.toUpperCase(), remove: remove.id, values, ifVersions });
  const merged = { ...keep, ...values, sub: ['a1', 'b1', 'b2'], version: 2 };
  expect(data?.mergeUsers?.user).toEqual(merged);
  expect([await read(keep.id), await read(remove.id)]).toEqual([merged, null]);
  expect((await findItem(uniqueKey('nickname', String(remove.nickname))))?.userId).toBe(keep.id);
  expect(await mutate('createUser', { name: 'Eve', email: keep.email })).not.toHaveProperty('errors');
  // A repetition, as after a lost answer.
  expect((await merge({ keep: keep.id, remove: remove.id, values, ifVersions })).data?.mergeUsers?.user).toEqual(
    merged,
  );
});

test.each(['address', 'login'])('a lookup by %s during a merge finds the kept user', async (value) => {
  const { findUserByEmail } = await import('../../../../lib/users/unique-values.ts');
  const { findBySubject } = await import('../../../../lib/features/me/read.ts');
  const sub = crypto.randomUUID();
  const [keep, remove] = [await create(), await create({ sub: [sub] })];
  doBefore(`"pk":"USER#${remove.id}"`, () =>
    merge({ keep: keep.id, remove: remove.id, values: { email: remove.email } }),
  );
  const found = value === 'login' ? (await findBySubject(sub))?.user : await findUserByEmail(remove.email);
  expect(found?.id).toBe(keep.id);
});

test('the histories of both users name the merge and its caller', async () => {
  const [keep, remove] = [await create(), await create()];
  await mergeDelivered(keep, remove);
  await mutate('updateUser', { id: keep.id, name: 'Ada' });
  await deliver(keep.id);
  const [renamed, merged, created] = (await readHistory(keep.id)).nodes;
  expect(renamed).toMatchObject({ kind: 'UPDATED', merged: null });
  expect(merged).toEqual({ kind: 'UPDATED', by: 'sub:bob', merged: remove.id, mergedInto: null });
  expect(created).toMatchObject({ kind: 'CREATED', merged: null });
  expect((await readHistory(remove.id)).nodes[0]).toEqual({
    ...{ kind: 'DELETED', by: 'sub:bob', merged: null, mergedInto: keep.id },
  });
  expect((await readHistory(keep.id)).earlierRecords).toEqual([remove.id]);
});

test('a history names each merge of the same two users, also after a restore', async () => {
  const [keep, remove] = [await create(), await create()];
  await mergeDelivered(keep, remove);
  await mutate('restoreUser', { id: remove.id });
  await deliver(remove.id);
  await mergeDelivered(keep, remove);
  const nodes = (await readHistory(keep.id)).nodes as { merged: string | null }[];
  expect(nodes.map(({ merged }) => merged)).toEqual([remove.id, remove.id, null]);
});

test.each<[string, (keep: User, remove: User) => object, string]>([
  ['the same user twice', ({ id }) => ({ keep: id, remove: id.toUpperCase() }), 'BAD_USER_INPUT'],
  ['an unknown user', ({ id }) => ({ keep: id, remove: crypto.randomUUID() }), 'NOT_FOUND'],
  [
    'a stale version',
    (keep, remove) => ({ keep: keep.id, remove: remove.id, ifVersions: { keep: 1, remove: 2 } }),
    'PRECONDITION_FAILED',
  ],
  [
    'an invalid value',
    (keep, remove) => ({ keep: keep.id, remove: remove.id, values: { status: 'gone' } }),
    'BAD_USER_INPUT',
  ],
])('%s is rejected before anything is written', async (_, createInput, code) => {
  const [keep, remove] = [await create(), await create()];
  expect(getErrorCode(await merge(createInput(keep, remove)))).toBe(code);
  expect([await read(keep.id), await read(remove.id)]).toEqual([keep, remove]);
});

test('too many logins, and a value of a third user, are conflicts', async () => {
  const [keep, remove] = [await create({ sub: ['c1', 'c2'] }), await create({ sub: ['d1', 'd2'] })];
  const third = await create({ nickname: newNickname() });
  const { errors: [tooMany] = [] } = await merge({ keep: keep.id, remove: remove.id });
  expect(tooMany?.extensions).toMatchObject({ code: 'CONFLICT', reason: 'TOO_MANY_LOGINS' });
  const other = await create();
  const { errors: [taken] = [] } = await merge({
    ...{ keep: keep.id, remove: other.id, values: { nickname: third.nickname } },
  });
  expect(taken?.extensions).toMatchObject({ code: 'CONFLICT', reason: 'VALUE_TAKEN' });
  expect([await read(keep.id), await read(remove.id), await read(other.id)]).toEqual([keep, remove, other]);
});

test.each([
  ['rejected without a decision', {}, {}, 'USER_BLOCKED', { status: 'active', sub: ['k'] }],
  ['rejected also without a value of the kept user', { status: null }, {}, 'USER_BLOCKED', { status: null }],
  ['kept by values', {}, { status: 'suspended' }, undefined, { status: 'suspended', sub: ['k', 'r'] }],
  ['ended by values', {}, { status: 'active' }, undefined, { status: 'active', sub: ['k', 'r'] }],
  ['ended by a cleared value', {}, { status: null }, undefined, { status: null, sub: ['k', 'r'] }],
  ['kept by a blocked user', { status: 'suspended' }, {}, undefined, { status: 'suspended', sub: ['k', 'r'] }],
])('the block of the removed user is %s', async (_, own, values, reason, expected) => {
  const [k, r] = [crypto.randomUUID(), crypto.randomUUID()];
  const toLogins = (sub?: string[]) => sub?.map((each) => (each === 'k' ? k : r));
  const keep = await create({ sub: [k], status: 'active', ...own });
  const remove = await create({ sub: [r], status: 'suspended' });
  const input = { keep: keep.id, remove: remove.id, values };
  expect(getReason(await merge(input))).toBe(reason);
  expect(await read(keep.id)).toMatchObject({ ...expected, sub: toLogins('sub' in expected ? expected.sub : ['k']) });
  expect(await read(remove.id)).toEqual(reason ? remove : null);
  // A repetition decides nothing: the blocked user is gone.
  if (!reason) expect(await merge({ ...input, values: {} })).not.toHaveProperty('errors');
});

test("a merge sees a block that starts meanwhile, and the end of the kept user's block", async () => {
  const [keep, remove] = [await create(), await create({ sub: ['blocked-late'] })];
  doBefore('mergedVersion', () => mutate('updateUser', { id: remove.id, status: 'suspended' }));
  expect(getReason(await merge({ keep: keep.id, remove: remove.id }))).toBe('USER_BLOCKED');
  table.middlewareStack.remove('before');
  await mutate('updateUser', { id: keep.id, status: 'suspended' });
  doBefore('mergedVersion', () => mutate('updateUser', { id: keep.id, status: 'active' }));
  expect(getReason(await merge({ keep: keep.id, remove: remove.id }))).toBe('USER_BLOCKED');
  expect(await read(remove.id)).toMatchObject({ sub: ['blocked-late'], status: 'suspended' });
});

test('a block since the merge applies to both users after an undo, a block by the merge to none', async () => {
  const [keep, remove, third] = [await create(), await create({ sub: ['u1'] }), await create({ sub: ['u2'] })];
  await mergeDelivered(keep, remove);
  await mutate('updateUser', { id: keep.id, status: 'suspended' });
  await deliver(keep.id);
  expect(await undo(remove.id)).not.toHaveProperty('errors');
  expect(await read(keep.id)).toMatchObject({ status: 'suspended' });
  expect(await read(remove.id)).toMatchObject({ status: 'suspended', sub: ['u1'] });
  await mutate('updateUser', { id: remove.id, status: 'active' });
  await deliver(keep.id, remove.id);
  await mergeDelivered(remove, third, { status: 'suspended' });
  expect(await undo(third.id)).not.toHaveProperty('errors');
  expect([await read(remove.id), await read(third.id)]).toMatchObject([{ status: 'active' }, { status: null }]);
});

test.each(['has it', 'is late'])(
  'a block by the merge that an operator set again since stays, if the log %s',
  async (log) => {
    const [keep, remove] = [await create(), await create({ sub: [crypto.randomUUID()] })];
    await mergeDelivered(keep, remove, { status: 'suspended' });
    const unlogged = await findItem(userKey(keep.id));
    for (const status of ['active', 'suspended']) {
      await mutate('updateUser', { id: keep.id, status });
      if (log === 'has it') await deliver(keep.id);
    }
    const blocked = await findItem(userKey(keep.id));
    // An undo that finds the log late reads the end of its last gap.
    if (log === 'is late')
      doBefore('"pk":"CHANGES"', async () => {
        const active = { ...blocked, version: 3, fields: { ...(blocked?.fields as object), status: 'active' } };
        await logChange(unlogged, active);
        await logChange(active, blocked);
      });
    expect(await undo(remove.id)).not.toHaveProperty('errors');
    expect([await read(keep.id), await read(remove.id)]).toMatchObject([
      { status: 'suspended' },
      { status: 'suspended' },
    ]);
  },
);

test('an undo ignores changes by hand that keep the version of the merge', async () => {
  const { putItems } = await import('../../../../lib/dynamodb/batch.ts');
  const [keep, remove] = [await create(), await create()];
  await mergeDelivered(keep, remove, { name: 'Merged' });
  await putItems([{ ...(await findItem(userKey(keep.id))), former: 'value' }]);
  await deliver(keep.id);
  expect(await undo(remove.id)).not.toHaveProperty('errors');
  expect(await read(keep.id)).toMatchObject({ name: keep.name });
});

test('with groups=off, a merge keeps the memberships of both, and an undo parts them', async () => {
  const { putItems } = await import('../../../../lib/dynamodb/batch.ts');
  const readGroups = async (id: string) =>
    ((await findItem(userKey(id)))?.fields as { groups?: object[] } | undefined)?.groups;
  const setGroups = async (id: string, ...groups: object[]) => {
    const item = await findItem(userKey(id));
    const changed = { ...item, fields: { ...(item?.fields as object | undefined), groups } };
    await putItems([changed]);
    seen.set(JSON.stringify(userKey(id)), changed);
  };
  const [keep, remove] = [await create(), await create()];
  const [both, own, other, late] = ['both', 'own', 'other', 'late'].map((id) => ({ id, role: 'member' }));
  const admin = { id: 'both', role: 'admin' };
  await setGroups(keep.id, admin, own ?? {});
  await setGroups(remove.id, both ?? {}, other ?? {});
  await mergeDelivered(keep, remove, { name: 'Ada' });
  expect(await readGroups(keep.id)).toEqual([admin, own, other]);
  await setGroups(keep.id, admin, own ?? {}, other ?? {}, late ?? {});
  expect(await undo(remove.id)).not.toHaveProperty('errors');
  expect([await readGroups(keep.id), await readGroups(remove.id)]).toEqual([
    [admin, own, late],
    [both, other],
  ]);
});

test('an idempotency key still works after an undo, however old the kept user is', async () => {
  environment.now = () => now() - 30 * 24 * 3_600_000;
  const [keep, remove] = [await create(), await create()];
  environment.now = now;
  const input = { keep: keep.id, remove: remove.id, idempotencyKey: crypto.randomUUID() };
  expect(getErrorCode(await merge(input))).toBeUndefined();
  await deliver(keep.id, remove.id);
  expect(getErrorCode(await undo(remove.id))).toBeUndefined();
  await deliver(remove.id);
  // A late copy of the first request.
  expect((await merge(input)).data?.mergeUsers?.user).toMatchObject({ id: keep.id, version: 3 });
  expect(await read(remove.id)).toMatchObject({ version: 3 });
});

test('posts follow in parts, in order and with their times, and return after an undo', async () => {
  const [keep, remove] = [await create(), await create()];
  await createPosts(remove.id, 5);
  const before = await listPosts(remove.id);
  await mutate('publishPost', { id: before[0]?.id, publishedAt: '2026-01-31T12:00:00.000Z' });
  await mergeDelivered(keep, remove);
  const moved = await listPosts(keep.id);
  expect(moved.map(({ title }) => title)).toEqual(['Post 1', 'Post 2', 'Post 3', 'Post 4', 'Post 5']);
  expect(moved[0]).toMatchObject({ publishedAt: '2026-01-31T12:00:00.000Z' });
  await createPosts(keep.id, 1);
  expect(await undo(remove.id)).not.toHaveProperty('errors');
  await deliver(keep.id, remove.id);
  expect((await listPosts(remove.id)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(await listTitles(keep.id)).toEqual(['Post 1']);
  expect(await findItem(postReturnKey(remove.id))).toBeUndefined();
});

test('a post whose id an import has given to the kept user gets another id', async () => {
  const [keep, remove] = [await create(), await create()];
  await createPosts(remove.id, 1);
  const [post] = await listPosts(remove.id);
  await mutate('updatePost', { id: post?.id, authorId: keep.id });
  const { createPosts: importPosts } = await import('../../../../lib/posts/write.ts');
  const times = { createdAt: new Date().toISOString(), updatedAt: new Date().toISOString() };
  const imported = { id: post?.id ?? '', authorId: remove.id, title: 'Imported', publishedAt: null, version: 1 };
  await importPosts(remove.id, [{ ...imported, ...times, by: 'sub:ann' as never }]);
  await mergeDelivered(keep, remove);
  expect(await listTitles(keep.id)).toEqual(['Post 1', 'Imported']);
});

test('an undo restores both users, their values and logins', async () => {
  const [keep, remove] = [await create({ sub: ['e1'] }), await create({ sub: ['f1'], nickname: newNickname() })];
  await mergeDelivered(keep, remove, { name: 'Ada', email: remove.email, nickname: remove.nickname });
  const { data } = await undo(remove.id);
  const [kept, restored] = [
    { ...keep, version: 3 },
    { ...remove, version: 3 },
  ];
  expect(data?.undoMerge).toEqual({ kept, restored });
  expect([await read(keep.id), await read(remove.id)]).toEqual([kept, restored]);
  expect((await findItem(uniqueKey('nickname', String(remove.nickname))))?.userId).toBe(remove.id);
  expect(await findItem(deletionKey(userKey(remove.id)))).not.toHaveProperty('mergedInto');
  expect((await undo(remove.id)).errors?.[0]?.extensions).toMatchObject({ reason: 'USER_EXISTS' });
  await deliver(keep.id, remove.id);
  expect((await readHistory(keep.id)).nodes[0]).toMatchObject({ kind: 'UPDATED', by: 'sub:cy', merged: null });
  expect((await readHistory(keep.id)).earlierRecords).toEqual([]);
  // Both can be merged again, in the other direction.
  expect(getErrorCode(await merge({ keep: remove.id, remove: keep.id }))).toBeUndefined();
});

test('an undo keeps values and logins that have changed since', async () => {
  const [keep, remove] = [await create({ sub: ['g1'], status: 'active' }), await create({ sub: ['h1'] })];
  await mergeDelivered(keep, remove, { name: 'Merged', status: 'suspended' });
  await mutate('updateUser', { id: keep.id, name: 'Renamed', sub: ['g1', 'h1', 'g2'] });
  await deliver(keep.id);
  await undo(remove.id);
  expect(await read(keep.id)).toMatchObject({ name: 'Renamed', status: 'active', sub: ['g1', 'g2'] });
  expect(await read(remove.id)).toMatchObject({ sub: ['h1'] });
});

test('an undo fails if another user has a former value, or the user who was kept is gone', async () => {
  const [keep, remove] = [await create(), await create()];
  await mergeDelivered(keep, remove, { email: remove.email });
  const eve = await create({ email: keep.email });
  expect((await undo(remove.id)).errors?.[0]?.extensions).toMatchObject({ reason: 'EMAIL_TAKEN' });
  expect(await read(remove.id)).toBeNull();
  expect(getErrorCode(await undo(eve.id))).toBe('CONFLICT');
  await mutate('deleteUser', { id: keep.id });
  await deliver(keep.id);
  expect(getErrorCode(await undo(remove.id))).toBe('NOT_FOUND');
  expect(getErrorCode(await merge({ keep: keep.id, remove: remove.id }))).toBe('NOT_FOUND');
});

test('posts follow through several merges, or are deleted with the last user', async () => {
  const [first, second, third] = [await create(), await create(), await create()];
  await createPosts(first.id, 3);
  await merge({ keep: second.id, remove: first.id });
  await deliver(second.id);
  await merge({ keep: third.id, remove: second.id });
  await deliver(second.id, third.id, first.id);
  expect(await listTitles(third.id)).toEqual(['Post 1', 'Post 2', 'Post 3']);
  await undo(second.id);
  await deliver(second.id, third.id);
  expect([(await listPosts(second.id)).length, (await listPosts(third.id)).length]).toEqual([3, 0]);
  await undo(first.id);
  // The undo has not returned the posts yet: the deletion of the other user must not lose them.
  await mutate('deleteUser', { id: second.id });
  await deliver(second.id, first.id);
  expect(await listTitles(first.id)).toEqual(['Post 1', 'Post 2', 'Post 3']);
});

test('posts that an undo has not returned are deleted with their author, also after a purge in parts', async () => {
  const [keep, remove] = [await create(), await create()];
  await createPosts(keep.id, 1);
  await createPosts(remove.id, 7);
  await mergeDelivered(keep, remove);
  await undo(remove.id);
  // Delivers the user, but not the return record yet.
  seen.set(JSON.stringify(userKey(remove.id)), await findItem(userKey(remove.id)));
  await createPosts(remove.id, 4);
  await mutate('deleteUser', { id: remove.id });
  await deliver(remove.id);
  expect(await listTitles(keep.id)).toEqual(['Post 1']);
  expect([await findItem(purgeKey(remove.id)), await findItem(postReturnKey(remove.id))]).toEqual([
    undefined,
    undefined,
  ]);
});

test.each(['the same', 'another'])('a merge into %s user waits for posts that an undo returns', async (other) => {
  const [keep, remove, third] = [await create(), await create(), await create()];
  const next = other === 'another' ? third : keep;
  await createPosts(remove.id, 7);
  await mergeDelivered(keep, remove);
  await undo(remove.id);
  // The merge finds the return record the first time.
  doBefore('"RETURN"', () => deliver(keep.id, remove.id), 2);
  await mergeDelivered(next, remove);
  expect((await listPosts(next.id)).length).toBe(7);
  await undo(remove.id);
  await deliver(remove.id);
  expect([(await listPosts(next.id)).length, (await listPosts(remove.id)).length]).toEqual([0, 7]);
});

test('an undo waits for posts that an earlier undo returns to the kept user', async () => {
  const [first, second, third] = [await create(), await create(), await create()];
  await createPosts(first.id, 7);
  await mergeDelivered(second, first);
  await mergeDelivered(third, second);
  await undo(second.id);
  doBefore('"RETURN"', () => deliver(second.id, third.id), 2);
  expect(await undo(first.id)).not.toHaveProperty('errors');
  await deliver(first.id, second.id);
  expect([(await listPosts(first.id)).length, (await listPosts(second.id)).length]).toEqual([7, 0]);
});

test.each([1, 2])('an undo reads each post of the kept user once per delivery of a record (%i)', async (deliveries) => {
  const [keep, remove] = [await create(), await create()];
  await createPosts(keep.id, 6);
  await createPosts(remove.id, 11);
  await mergeDelivered(keep, remove);
  await undo(remove.id);
  let reads = 0;
  table.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { Items = [] } = result.output as { Items?: { pk: string; sk: string }[] };
      reads += Items.filter(({ pk, sk }) => pk === userKey(keep.id).pk && sk.startsWith('POST#')).length;
      return result;
    },
    { step: 'initialize', name: 'before', priority: 'low' },
  );
  for (let record = await findItem(postReturnKey(remove.id)); record; record = await findItem(postReturnKey(remove.id)))
    for (let delivery = 1; delivery <= deliveries; delivery++) await logChange(undefined, record);
  expect(reads).toBeLessThanOrEqual(17 * deliveries);
  expect([(await listPosts(keep.id)).length, (await listPosts(remove.id)).length]).toEqual([6, 11]);
});

test('a merge before the latest versions is found, and an undo reads no older history', async () => {
  const [keep, remove] = [await create(), await create()];
  for (let at = 0; at < 3; at++) {
    await mutate('updateUser', { id: keep.id, name: `Before ${at}` });
    await deliver(keep.id);
  }
  await mergeDelivered(keep, remove, { name: 'Merged' });
  await mutate('updateUser', { id: keep.id, nickname: newNickname() });
  await deliver(keep.id);
  const spend = vi.spyOn(Budget.prototype, 'spendRead');
  const { data } = await undo(remove.id);
  expect(data?.undoMerge?.kept).toMatchObject({ name: 'Before 2' });
  expect(spend.mock.calls).toEqual([[6]]);
  spend.mockRestore();
});

test('an undo that reads more history than a request may is rejected before it writes', async () => {
  const [keep, remove] = [await create(), await create()];
  await mergeDelivered(keep, remove);
  const spend = vi.spyOn(Budget.prototype, 'spendRead').mockImplementationOnce(function (
    this: InstanceType<typeof Budget>,
  ) {
    spend.mockRestore();
    this.spendRead(10_001);
  });
  expect(getErrorCode(await undo(remove.id))).toBe('BAD_USER_INPUT');
  expect(await read(remove.id)).toBeNull();
});

test('a merge and its opposite at once: one of both users stays', async () => {
  const [one, other] = [await create(), await create()];
  const results = await Promise.all([
    merge({ keep: one.id, remove: other.id }),
    merge({ keep: other.id, remove: one.id }),
  ]);
  expect(results.map(getErrorCode).toSorted()).toEqual(['NOT_FOUND', undefined]);
});

test('a concurrent change of either user is kept', async () => {
  const [keep, remove] = [await create(), await create()];
  doBefore('mergedVersion', async () => {
    await mutate('updateUser', { id: keep.id, name: 'Kept name' });
    await mutate('updateUser', { id: remove.id, sub: ['late'] });
  });
  expect(getErrorCode(await merge({ keep: keep.id, remove: remove.id }))).toBeUndefined();
  expect(await read(keep.id)).toMatchObject({ name: 'Kept name', sub: ['late'], version: 3 });
});

test('an erasure of the kept user covers the merged users', async () => {
  const [first, second, third] = [await create(), await create(), await create()];
  await mergeDelivered(second, first);
  await mergeDelivered(third, second);
  await mutate('deleteUser', { id: third.id, erase: true });
  expect(getErrorCode(await mutate('restoreUser', { id: first.id }))).toBe('NOT_FOUND');
  expect(getErrorCode(await undo(second.id))).toBe('NOT_FOUND');
  const { erasure } = await fetchData<{ erasure: object }>('query ($id: ID!) { erasure(id: $id) { earlierRecords } }', {
    id: third.id,
  });
  expect(erasure).toEqual({ earlierRecords: [second.id, first.id] });
  environment.now = () => now() + 6 * 60_000;
  for (let run = 0; run < 2; run++) await runJobs([erasureJob], () => true);
  expect((await findItem(deletionKey(userKey(first.id))))?.erasure).toBe('completed');
});

test('the job of an erasure covers a user who was merged since its request', async () => {
  const [keep, remove] = [await create(), await create()];
  doBefore('settlesFrom', () => merge({ keep: keep.id, remove: remove.id }));
  await mutate('deleteUser', { id: keep.id, erase: true });
  await deliver(keep.id, remove.id);
  environment.now = () => now() + 6 * 60_000;
  await runJobs([erasureJob], () => true);
  expect((await findItem(deletionKey(userKey(remove.id))))?.erasure).toBe('pending');
});

test.each(['a merge', 'a merge and an erasure'])('on-change deletes index entries left by %s', async (cause) => {
  const words = (letter: string) =>
    Array.from({ length: 10 }, (_, at) => `${letter}${'abcdefghij'[at]}x${at}`).join(' ');
  const [keep, remove] = [await create({ name: words('k') }), await create({ name: words('r') })];
  const { MAX_TRANSACTION_ITEMS } = await import('../../../../lib/dynamodb/transact.ts');
  const stored = await findItem(userKey(remove.id));
  // Pads the record with keys of items that do not exist.
  const padding = Array.from({ length: 80 }, (_, at) => `SEARCH#zz\tzz${at}\t`);
  const { putItems } = await import('../../../../lib/dynamodb/batch.ts');
  await putItems([{ ...stored, derived: [stored?.derived ?? [], padding].flat() }]);
  seen.set(JSON.stringify(userKey(remove.id)), await findItem(userKey(remove.id)));
  let items = 0;
  table.middlewareStack.add(
    (next) => (args) => {
      items = Math.max(items, (args.input as { TransactItems?: object[] }).TransactItems?.length ?? 0);
      return next(args);
    },
    { step: 'initialize', name: 'before' },
  );
  expect(await merge({ keep: keep.id, remove: remove.id, values: { name: words('m') } })).not.toHaveProperty('errors');
  expect(items).toBeLessThanOrEqual(MAX_TRANSACTION_ITEMS);
  const countEntries = async () => {
    let count = 0;
    const query = { TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'LIST#name' } };
    for await (const { Items = [] } of paginateQuery({ client: table }, query))
      count += Items.filter(({ sk }) => sk.endsWith(remove.id)).length;
    return count;
  };
  expect(await countEntries()).toBe(1);
  if (cause !== 'a merge') await mutate('deleteUser', { id: keep.id, erase: true });
  await deliver(remove.id);
  expect(await countEntries()).toBe(0);
});
