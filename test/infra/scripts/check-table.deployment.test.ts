import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { databaseEnvironment, startDatabase } from '../../../infra/local/database/start.ts';
import { createTable, LOCAL_TABLE } from '../../../infra/local/table.ts';
import { checkTable } from '../../../infra/scripts/table-consistency.ts';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { DIRECTORY, emailKey, type Item, newPostKey, requirePostKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { environment } from '../../../lib/environment.ts';
import { backfillKey } from '../../../lib/features/backfill/keys.ts';
import { rewriteAsRead } from '../../../lib/features/backfill/rewrite.ts';
import { indexPages } from '../../../lib/features/page-index/indexer.ts';
import { blockKey } from '../../../lib/features/page-index/keys.ts';
import { openPageIndex } from '../../../lib/features/page-index/reader.ts';
import { listPosts } from '../../../lib/posts/read.ts';
import { createPost, deletePost } from '../../../lib/posts/write.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { findStoredUser } from '../../../lib/users/read.ts';
import { findUserByEmail } from '../../../lib/users/unique-values.ts';
import type { StoredUser } from '../../../lib/users/user.ts';
import { updateUser } from '../../../lib/users/write.ts';
import { createUsersAt } from '../../lib/features/page-index/fixtures.ts';
import { findViolations } from '../../lib/features/page-index/invariant.ts';
import { createUser } from '../../setup/create-user.ts';

const readAll = async (): Promise<Item[]> => {
  const { Items = [] } = await table.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Items;
};
const formatKey = ({ pk, sk }: Item) => `${pk} ${sk}`;
const remove = ({ pk, sk }: Item) => table.send(new DeleteCommand({ TableName, Key: { pk, sk } }));

const { pause } = environment;
beforeAll(() => {
  environment.pause = async () => {};
});
afterAll(() => {
  environment.pause = pause;
});

beforeEach(async () => {
  await Promise.all((await readAll()).map(remove));
});

/** Undoes the writes of `operation`. Returns a function per changed item, which repeats its write. */
async function recordWrites(operation: () => Promise<unknown>): Promise<(() => Promise<unknown>)[]> {
  const before = new Map((await readAll()).map((item) => [formatKey(item), item]));
  await operation();
  const after = new Map((await readAll()).map((item) => [formatKey(item), item]));
  await Promise.all([...after.values()].map(remove));
  await putItems([...before.values()]);
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap((key) => {
    const [old, next] = [before.get(key), after.get(key)];
    if (isDeepStrictEqual(old, next)) return [];
    return [() => (next ? table.send(new PutCommand({ TableName, Item: next })) : remove(old ?? {}))];
  });
}

const subsets = (size: number) =>
  Array.from({ length: 2 ** size }, (_, bits) => Array.from({ length: size }, (_, bit) => Boolean(bits & (1 << bit))));

const ada = { name: 'Ada', email: 'ada@example.com' };

const operations: Record<string, (id: string) => Promise<unknown>> = {
  createUser: () => createUser({ name: 'Grace', email: 'grace@example.com' }),
  'updateUser of an email': (id) => updateUser({ id, email: 'new@example.com' }, 'test'),
  deleteUser: (id) => deleteUser({ id }, 'test'),
  async deletePost(id) {
    for (const post of await listPosts(id, {})) await deletePost({ id: post.id }, 'test');
  },
};

const checkAndRepair = () => checkTable({ repair: 'rebuild' });

/** The page index treats a fresh tombstone as a deletion, even if the user exists. */
const RESTORE_MS = 300_000;

describe.each(Object.entries(operations))('a restore that contains part of %s', (_, operate) => {
  test('is repaired, for every subset of the written items', async () => {
    const { id } = await createUser(ada);
    await createUser({ name: 'Bob', email: 'bob@example.com' });
    await createPost({ authorId: id, title: 'One' }, 'test');
    const before = await readAll();
    const writes = await recordWrites(() => operate(id));
    expect(writes.length).toBeGreaterThanOrEqual(2);
    for (const subset of subsets(writes.length)) {
      await Promise.all((await readAll()).map(remove));
      await putItems(before);
      for (const [index, isRestored] of subset.entries()) if (isRestored) await writes[index]?.();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + RESTORE_MS });
      await checkAndRepair();
      const { users, found, indexed } = await checkTable();
      expect({ subset, found, indexed }).toEqual({ subset, found: {}, indexed: users });
      vi.useRealTimers();
    }
  });
});

test('the posts of a deleted user are found and deleted', async () => {
  const { id } = await createUser(ada);
  for (const title of ['One', 'Two']) await createPost({ authorId: id, title }, 'test');
  await deleteUser({ id }, 'test');
  expect(await checkTable()).toMatchObject({ found: { 'post without author': 2 }, repaired: 0 });
  expect(await checkAndRepair()).toMatchObject({ found: { 'post without author': 2 }, repaired: 2 });
  expect(await checkTable()).toMatchObject({ found: {} });
});

test('an address of two users is reported, and the older user gets the claim', async () => {
  const { id } = await createUser(ada);
  const { Item = {} } = await table.send(new GetCommand({ TableName, Key: userKey(id) }));
  const other = { ...Item, ...userKey('01890a5d-ac96-774b-bcce-b302099a8057') };
  await putItems([other]);
  const found = { 'user whose claims or index entries differ': 1 };
  const duplicates = [{ field: 'email', userId: id, ownerId: '01890a5d-ac96-774b-bcce-b302099a8057' }];
  expect(await checkAndRepair()).toMatchObject({ found, duplicates, repaired: 1 });
  expect((await findUserByEmail(ada.email))?.id).toBe('01890a5d-ac96-774b-bcce-b302099a8057');
  expect(await checkAndRepair()).toMatchObject({ found: {}, duplicates, repaired: 0 });
});

test('a user who loses a claim to an older user gets its missing entries in the same pass', async () => {
  const { id } = await createUser(ada);
  const { Item = {} } = await table.send(new GetCommand({ TableName, Key: userKey(id) }));
  await putItems([{ ...Item, ...userKey('01890a5d-ac96-774b-bcce-b302099a8057') }]);
  const entries = (await readAll()).filter(({ pk, sk }) => /^SEARCH#/.test(String(pk)) && String(sk).endsWith(id));
  await remove(entries[0] as Item);
  expect((await checkAndRepair()).repaired).toBe(2);
  expect((await checkTable()).found).toEqual({});
});

test('a repair that meets a concurrent write changes nothing', async () => {
  const user = await createUser(ada);
  const [claim] = (await readAll()).filter(({ pk }) => String(pk).startsWith('EMAIL#'));
  await remove(claim ?? {});
  const stored = await findStoredUser(user.id);
  await updateUser({ id: user.id, email: 'new@example.com' }, 'test');
  const before = await readAll();
  expect(await rewriteAsRead({ ...(stored as StoredUser), derived: [] })).toBe(0);
  expect(await readAll()).toEqual(before);
});

test('a user with a missing and an unrecorded item is repaired in one pass', async () => {
  const { id } = await createUser(ada);
  const before = await readAll();
  const entries = before.filter(({ pk }) => String(pk).startsWith('SEARCH#'));
  await remove(entries[0] as Item);
  await putItems([{ pk: 'SEARCH#bo', sk: `bowls\t${id}` }]);
  const found = { 'user whose claims or index entries differ': 1, 'claim or index entry without user': 1 };
  expect(await checkAndRepair()).toMatchObject({ found, repaired: 2 });
  expect(await checkTable()).toMatchObject({ found: {} });
  const isOfUsers = ({ pk }: Item) => !/^(PAGES|CHANGES|HEARTBEAT)/.test(String(pk));
  expect((await readAll()).filter(isOfUsers)).toEqual(
    before.filter(isOfUsers).map((item) => expect.objectContaining({ pk: item.pk, sk: item.sk })),
  );
});

test('a claim with the id of another user moves back, and counts as repaired', async () => {
  const { id } = await createUser(ada);
  const { id: otherId } = await createUser({ name: 'Bob', email: 'bob@example.com' });
  const before = await readAll();
  const claim = before.find(({ pk }) => pk === emailKey(ada.email).pk);
  await putItems([{ ...claim, userId: otherId }]);
  // The scan order decides whether a repair of the other user is a finding, too.
  const { found, repaired } = await checkAndRepair();
  expect(repaired).toBe(Object.values(found).reduce((sum, count) => sum + count, 0));
  expect(await checkTable()).toMatchObject({ found: {} });
  expect((await findUserByEmail(ada.email))?.id).toBe(id);
});

test('a damaged user is named; a repair skips its items and repairs all others', async () => {
  const { id } = await createUser(ada);
  await createPost({ authorId: id, title: 'One' }, 'test');
  const { id: otherId } = await createUser({ name: 'Bob', email: 'bob@example.com' });
  const { Item: { name: _, ...damaged } = {} } = await table.send(new GetCommand({ TableName, Key: userKey(id) }));
  await putItems([damaged]);
  await remove(emailKey('bob@example.com'));
  const before = await readAll();
  const found = { 'user whose claims or index entries differ': 1 };
  expect(await checkTable({ repair: 'counts' })).toMatchObject({
    found: { ...found, 'unreadable user': 1 },
    repaired: 1,
  });
  expect((await findUserByEmail('bob@example.com'))?.id).toBe(otherId);
  const isOfAda = (item: Item) => JSON.stringify(item).includes(id);
  expect((await readAll()).filter(isOfAda)).toEqual(before.filter(isOfAda));
  expect(await run([...ofTable, '--repair'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`unreadable user: ${JSON.stringify(userKey(id))}\n`),
  });
});

test('a damaged post is named and kept', async () => {
  const { id } = await createUser(ada);
  const posts = await Promise.all(['One', 'Two'].map((title) => createPost({ authorId: id, title }, 'test')));
  const keys = posts.map((post) => requirePostKey(post.id));
  const unaddressable = { ...userKey(id), sk: 'POST#1' };
  await putItems([
    { ...keys[0], title: 7 },
    { ...keys[1], title: 'Two', publishedAt: 'yesterday' },
    { ...unaddressable, title: 'Three' },
  ]);
  const { code, stdout } = await run([...ofTable, '--repair']);
  expect(code).toBe(1);
  expect(
    stdout
      .split('\n')
      .filter((line) => line.startsWith('unreadable post'))
      .toSorted(),
  ).toEqual(
    [...[...keys, unaddressable].map((key) => JSON.stringify(key)), '3']
      .map((text) => `unreadable post: ${text}`)
      .toSorted(),
  );
  expect(await readAll()).toEqual(expect.arrayContaining([expect.objectContaining({ ...keys[0], title: 7 })]));
});

test('a user without the directory attribute is named, and listed again after a repair', async () => {
  const { id } = await createUser(ada);
  const { Item: { directory: _, ...unlisted } = {} } = await table.send(
    new GetCommand({ TableName, Key: userKey(id) }),
  );
  await putItems([unlisted]);
  expect((await listUsers({ limit: 10 })).users).toEqual([]);
  const found = { 'user missing from the directory': 1 };
  expect(await checkTable()).toMatchObject({ found, repaired: 0 });
  const { code, stdout } = await run([...ofTable, '--rebuild']);
  expect(stdout).toContain(`user missing from the directory: ${JSON.stringify(userKey(id))}\n`);
  expect(code).toBe(0);
  expect((await listUsers({ limit: 10 })).users).toMatchObject([{ id, version: 1 }]);
  expect(await checkTable()).toMatchObject({ found: {} });
});

test('the key of each finding is printed', async () => {
  const { id } = await createUser(ada);
  const entry = { pk: 'SEARCH#bo', sk: `bowls\t${id}` };
  const claim = emailKey('gone@example.com');
  const post = newPostKey('01890a5d-ac96-774b-bcce-b302099a8057', '01890a5d-ac96-774b-bcce-b302099a8058');
  await putItems([claim, entry, { ...post, title: 'One' }]);
  const { stdout } = await run(ofTable);
  expect(stdout.split('\n')).toEqual(
    expect.arrayContaining([
      `unreadable claim: ${JSON.stringify(claim)}`,
      `claim or index entry without user: ${JSON.stringify(entry)}`,
      `user whose claims or index entries differ: ${JSON.stringify(userKey(id))}`,
      `post without author: ${JSON.stringify(post)}`,
    ]),
  );
});

test('an unreadable claim is deleted, and its user gets it again', async () => {
  const { id } = await createUser(ada);
  await putItems([emailKey(ada.email), { ...emailKey('gone@example.com'), userId: id, version: 'one' }]);
  expect(await checkTable()).toMatchObject({ found: { 'unreadable claim': 2 }, repaired: 0 });
  const found = { 'unreadable claim': 2, 'user whose claims or index entries differ': 1 };
  expect(await checkAndRepair()).toMatchObject({ found, repaired: 3 });
  expect(await checkTable()).toMatchObject({ found: {} });
  expect((await findUserByEmail(ada.email))?.id).toBe(id);
});

const ofTable = ['--table', TableName];

type Result = { code: number; stdout: string; stderr: string };

const run = async (args: string[], environment: Record<string, string> = {}): Promise<Result> => {
  const env = { ...process.env, ...environment };
  const script = ['infra/scripts/check-table.ts', ...args];
  return promisify(execFile)(process.execPath, script, { env }).then(
    (outputs) => ({ code: 0, ...outputs }),
    (error) => error,
  );
};

describe('own fields', () => {
  const userId = (at: number) => `01890a5d-ac96-774b-bcce-00000000000${at}`;
  const createUsers = () =>
    putItems(
      [0, 1].map((at) => ({
        ...{ ...userKey(userId(at)), directory: DIRECTORY, name: 'Ada', email: `${at}@example.com`, version: 1 },
        ...{
          fields: { nickname: 'secret' },
          createdAt: '2026-01-01T00:00:00.000Z',
          updatedAt: '2026-01-01T00:00:00.000Z',
        },
      })),
    );
  const fields = ['--fields', 'test/setup/own-fields.json'];

  test('--fields: claims and duplicates of these fields are found and repaired', async () => {
    await createUsers();
    expect((await run([...ofTable, ...fields])).stdout).toMatch(/^user whose claims or index entries differ: 2$/m);
    const { stdout } = await run([...ofTable, ...fields, '--repair']);
    const reported = `User ${userId(1)} has the same nickname as the older user ${userId(0)}: change one of them.`;
    expect(stdout).toContain(`\n${reported}\n`);
    expect(stdout).not.toContain('secret');
    const again = await run([...ofTable, ...fields, '--repair']);
    expect(again).toMatchObject({ code: 1, stdout: expect.stringMatching(/^0 repaired$/m) });
    expect(again.stdout).toContain(`\n${reported}\n`);
  });

  test('shows the progress of the backfill; repairs nothing without its fields', async () => {
    await createUsers();
    const lists = { 'plan=': 'string', score: 'number' };
    const counts = { formerUnique: [], users: 1, rewritten: 5, duplicates: 2, revision: 3 };
    await putItems([
      {
        ...backfillKey,
        unique: ['nickname'],
        search: [{ name: 'tags', texts: 20 }],
        lists,
        startedAt: '2026-01-01',
        ...counts,
      },
    ]);
    expect((await run(ofTable)).stdout).toContain(
      '\nThe backfill for nickname (unique), tags (search), plan (filter), score (sort) has processed 1 of 2 users: 5 users rewritten, 2 duplicates\n',
    );
    const { code, stderr } = await run([...ofTable, '--repair']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'Not checked: The service declares nickname, tags, plan, score as unique, search, filter or sort fields. Pass a file with its fields with --fields\n',
    });
  });
});

test('findings that come from other fields than those of the service are explained', async () => {
  await createUser(ada);
  const { declared } = await import('../../../lib/features/backfill/record.ts');
  const counts = { formerUnique: [], users: 1, rewritten: 0, duplicates: 0, revision: 1, startedAt: '2026-01-01' };
  const explanation = 'The service had other fields or search settings than this command';
  await putItems([{ ...backfillKey, ...declared, ...counts }]);
  expect((await run(ofTable)).stdout).not.toContain(explanation);
  await putItems([{ ...backfillKey, ...declared, domains: false, ...counts }]);
  expect((await run(ofTable)).stdout).toContain(explanation);
});

describe('the page index', () => {
  beforeEach(async () => {
    await createUsersAt([0, 1, 2].map((user) => Date.now() - 3_600_000 + user));
    await indexPages();
    await checkTable({ repair: 'counts' });
  });

  const setCount = (wrong: number) =>
    table.send(
      new UpdateCommand({
        TableName,
        Key: blockKey(2, '0'),
        UpdateExpression: 'SET #count = :wrong',
        ExpressionAttributeNames: { '#count': 'count' },
        ExpressionAttributeValues: { ':wrong': wrong },
      }),
    );

  test('a wrong count is reported, but not repaired by default', async () => {
    await setCount(7);
    const { code, stdout } = await run(ofTable);
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringMatching(/^page count that differs: 1$/m) });
    expect(stdout).toContain(`page count that differs: ${JSON.stringify(blockKey(2, '0'))}\n`);
    expect(await openPageIndex().count()).toBe(7);
  });

  test('--repair reports and repairs each wrong count', async () => {
    await setCount(7);
    const { code, stdout } = await run([...ofTable, '--repair']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ 3 users; the page index counts 3\npage count that differs: 1\n/);
    expect(stdout).toMatch(/\nBlock 0 of level 2: 7 is now 3\n1 repaired\n$/);
    expect(await findViolations()).toEqual([]);
  });

  test('--rebuild replaces an index with missing items', async () => {
    await table.send(new DeleteCommand({ TableName, Key: blockKey(1, '0') }));
    expect(await findViolations()).not.toEqual([]);
    expect(await run([...ofTable, '--rebuild'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0 repaired'),
    });
    expect(await findViolations()).toEqual([]);
  });
});

describe('--data', () => {
  const folder = mkdtempSync(join(tmpdir(), 'check-table-'));
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  test('checks the embedded database in a folder', async () => {
    const database = await startDatabase(folder);
    try {
      for (const [name, value] of Object.entries(databaseEnvironment(database))) vi.stubEnv(name, value);
      await createTable(LOCAL_TABLE);
      const { pk, sk } = emailKey('gone@example.com');
      const Item = { pk: { S: pk }, sk: { S: sk }, userId: { S: '01890a5d-ac96-774b-bcce-b302099a8057' } };
      const client = new DynamoDBClient({});
      await client.send(new PutItemCommand({ TableName: LOCAL_TABLE, Item }));
      client.destroy();
    } finally {
      await database.stop();
    }
    // The SDK prefers a profile to the credentials of the embedded database.
    const check = (...args: string[]) => run(['--data', folder, ...args], { AWS_PROFILE: 'missing' });
    const finding = `claim or index entry without user: ${JSON.stringify(emailKey('gone@example.com'))}\n`;
    const found = `${finding}1 items scanned, 0 users; the page index counts 0\nclaim or index entry without user: 1\n`;
    expect(await check()).toMatchObject({ code: 1, stdout: `${found}0 repaired\n` });
    expect(await check('--repair')).toMatchObject({ code: 0, stdout: `${found}1 repaired\n` });
    expect(await check()).toMatchObject({ code: 0 });
  });
});

test.each([
  ['without a table', [], {}, 'Not checked: This command requires a table: pass --table or --data'],
  ['with an unknown option', ['--all'], {}, "Not checked: Unknown option '--all'"],
  ['with an option without dashes', ['repair'], {}, 'Not checked: Unexpected argument repair'],
  ['without a database in the folder', ['--data', 'mistyped'], {}, 'Not checked: mistyped contains no database'],
])('%s the script says so and fails', async (_, args, environment, message) => {
  expect(await run(args, environment)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
});
