import { expect, test, vi } from 'vitest';
import { followStream } from '../../../infra/local/change-stream.ts';
import { createPeople, createSample } from '../../../infra/local/sample.ts';
import { enableStream } from '../../../infra/local/table.ts';
import { TableName } from '../../../lib/dynamodb/client.ts';
import { parseUuidTime } from '../../../lib/input/uuidv7.ts';
import { listPosts } from '../../../lib/posts/read.ts';
import { createUserInput } from '../../../lib/users/input.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { findUserByEmail } from '../../../lib/users/unique-values.ts';
import { clearTable } from '../../lib/features/page-index/fixtures.ts';
import { searchUsers } from '../../lib/features/search/fixtures.ts';
import { createUser } from '../../setup/create-user.ts';

test('sample people are reproducible, valid, and have distinct addresses', () => {
  const people = createPeople(1_000);
  expect(createPeople(1_000)).toEqual(people);
  expect(new Set(people.map(({ email }) => email)).size).toBe(people.length);
  expect(new Set(people.map(({ name }) => name)).size).toBeGreaterThan(900);
  for (const { name, email } of people) expect(createUserInput.safeParse({ name, email }).success).toBe(true);
});

test('only an empty database is filled', async () => {
  await enableStream(TableName);
  await createSample(20);
  await createSample(20);
  const { users } = await listUsers({ limit: 100 });
  expect(users).toHaveLength(20);
  const posts = await Promise.all(users.map(({ id }) => listPosts(id, {})));
  expect(posts.flat().length).toBe(createPeople(20).flatMap((person) => person.posts).length);
  expect(await findUserByEmail(users[0]?.email ?? '')).toEqual(users[0]);
  const found = await searchUsers({ text: users[0]?.email ?? '', limit: 20 });
  // Search entries do not contain `by`.
  expect(found.users.map(({ user }) => ({ ...user, by: 'system' }))).toEqual([users[0]]);
  expect(users.map(({ id }) => parseUuidTime(id))).toEqual(users.map(({ createdAt }) => Date.parse(createdAt)));
});

test('sample people appear in no change stream', async () => {
  const changed: unknown[] = [];
  const following = await followStream(await enableStream(TableName), async ({ Records }) => {
    changed.push(...Records.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S));
    return { batchItemFailures: [] };
  });
  const { id } = await createUser({ name: 'Ada Lovelace', email: 'ada@example.com' });
  await vi.waitFor(() => expect(changed).toContain(`USER#${id}`), { timeout: 120_000 });
  expect(changed.filter((pk) => `${pk}`.startsWith('USER#'))).toEqual([`USER#${id}`]);
  await following.stop();
});

test('reports the number of created people, or nothing if users exist', async () => {
  await clearTable();
  const created: number[] = [];
  await createSample(120, (count) => created.push(count));
  expect(created).toEqual([0, 50, 100, 120]);
  await createSample(120, (count) => created.push(count));
  expect(created).toHaveLength(4);
});
