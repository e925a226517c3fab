import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { tableSource } from '../../../infra/scripts/transfer/table-source.ts';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { newPostKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { environment } from '../../../lib/environment.ts';
import { requireLogged } from '../../../lib/features/change-log/reach.ts';
import { listPosts } from '../../../lib/posts/read.ts';
import { createPost } from '../../../lib/posts/write.ts';
import type { ListUsers } from '../../../lib/users/criteria.ts';
import { creationCriterion, getUsersByIds } from '../../../lib/users/criteria.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { getUser } from '../../../lib/users/read.ts';
import { createUser } from '../../setup/create-user.ts';
import { newPerson } from '../../setup/test-data.ts';
import { execute } from '../graphql/client.ts';

const log = vi.spyOn(console, 'error').mockReturnValue();
beforeEach(() => void log.mockClear());

const ids: string[] = [];
let readable: string[] = [];

beforeAll(async () => {
  for (let count = 0; count < 5; count++) ids.push((await createUser(newPerson())).id);
  await damage(String(ids[0]), 'REMOVE createdAt');
  await damage(String(ids[4]), 'SET updatedAt = :time', { ':time': 'yesterday' });
  readable = ids.filter((_, at) => at !== 0 && at !== 4);
});

const damage = (id: string, UpdateExpression: string, ExpressionAttributeValues?: Record<string, string>) =>
  table.send(new UpdateCommand({ TableName, Key: userKey(id), UpdateExpression, ExpressionAttributeValues }));

async function listAll(query: Omit<ListUsers, 'limit' | 'after'>): Promise<string[]> {
  const listed: string[] = [];
  let after: string | undefined;
  do {
    const page = await listUsers({ ...query, limit: 2, after });
    listed.push(...page.users.map(({ id }) => id));
    after = page.next;
  } while (after);
  return listed;
}

const ever = creationCriterion({}, { after: 0 });

test.each([
  ['all', []],
  ['a period', [ever]],
])('the list of %s shows all other users in both orders', async (_, criteria) => {
  expect(await listAll({ criteria })).toEqual(readable);
  expect(await listAll({ criteria, order: 'desc' })).toEqual(readable.toReversed());
});

test.each([
  ['asc', [[1], [2, 3], []]],
  ['desc', [[3], [2, 1], []]],
] as const)('damaged users leave gaps in the pages %s', async (order, positions) => {
  for (const [at, shown] of positions.entries()) {
    const { users } = await listUsers({ limit: 2, page: at + 1, order });
    expect(users.map(({ id }) => ids.indexOf(id))).toEqual(shown);
  }
});

test('each damaged user is logged as an internal error', async () => {
  expect([...(await getUsersByIds(ids)).keys()].toSorted()).toEqual(readable.toSorted());
  const messages = log.mock.calls.map(([line]) => line.error.message);
  expect(messages.toSorted()).toEqual([ids[0], ids[4]].map((id) => `Invalid user item USER#${id}`));
});

test('a request for several users fails only for the damaged one', async () => {
  const { data, errors } = await execute(`{ ${ids.map((id, at) => `user${at}: user(id: "${id}") { id }`).join(' ')} }`);
  expect(data).toEqual(Object.fromEntries(ids.map((id, at) => [`user${at}`, readable.includes(id) ? { id } : null])));
  expect(errors).toHaveLength(2);
});

test('an export that would lack a damaged user fails', async () => {
  const read = Array.fromAsync(tableSource.readUsers({ posts: false }));
  await expect(read).rejects.toThrow(`The item of user ${ids[0]} is damaged: repair or delete it`);
});

test('GraphQL lists the times of all other users', async () => {
  const { data, errors } = await execute<{ users: { nodes: { id: string }[] } }>(
    '{ users { nodes { id createdAt updatedAt } } }',
  );
  expect({ shown: data?.users.nodes.map(({ id }) => id), errors }).toEqual({ shown: readable, errors: undefined });
});

test('changes before the log started are not promised if the age of the first user is unknown', async () => {
  await expect(requireLogged(environment.now() - 3_600_000, 'since')).rejects.toThrow('since: is too early');
});

test('a time without milliseconds or in another time zone is shown in UTC', async () => {
  const { id } = await createUser(newPerson());
  await damage(id, 'SET createdAt = :created, updatedAt = :updated', {
    ':created': '2026-01-31T12:00:00Z',
    ':updated': '2026-02-01T12:00:00.5+05:00',
  });
  expect(await getUser({ id })).toMatchObject({
    createdAt: '2026-01-31T12:00:00.000Z',
    updatedAt: '2026-02-01T07:00:00.500Z',
  });
});

test('a damaged post is logged and missing in the list', async () => {
  const { id: authorId } = await createUser(newPerson());
  const damaged = newPostKey(authorId, uuidv7());
  await putItems([{ ...damaged, title: 1 }]);
  const { id } = await createPost({ authorId, title: 'On Engines' }, 'test');
  for (const first of [1, undefined]) expect(await listPosts(authorId, { first })).toMatchObject([{ id }]);
  expect(log.mock.calls[0]?.[0].error.message).toBe(`Invalid post item ${damaged.pk} ${damaged.sk}`);
});
