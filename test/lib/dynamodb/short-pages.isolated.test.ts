import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test, vi } from 'vitest';
import { table } from '../../../lib/dynamodb/client.ts';
import { postKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { indexPages } from '../../../lib/features/page-index/indexer.ts';
import { newPerson } from '../../setup/test-data.ts';
import { execute, mutate } from '../graphql/client.ts';
import { findItem, logChange, logWrite } from '../on-change/log-write.ts';
import { bare, enveloped } from '../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/listed-fields.json';
});

const { send } = table;
/** Sends commands of any type. */
const sendAny = send.bind(table) as (command: unknown) => Promise<unknown>;

/** DynamoDB ends a page at 1 MB, and may answer that an empty page has a next one. */
function shortenPages(): () => number {
  let requests = 0;
  const emptied = new Set<string>();
  table.send = (async (command: unknown) => {
    if (!(command instanceof QueryCommand)) return sendAny(command);
    requests++;
    const { ExclusiveStartKey: LastEvaluatedKey, ...query } = command.input;
    const position = JSON.stringify([query, LastEvaluatedKey]);
    if (LastEvaluatedKey && !emptied.has(position)) {
      emptied.add(position);
      return { Items: [], Count: 0, LastEvaluatedKey };
    }
    return sendAny(new QueryCommand({ ...command.input, Limit: 1 }));
  }) as typeof send;
  return () => requests;
}

const USERS = 5;
const ids: string[] = [];
const [first, deleted] = [() => ids[0] ?? '', () => ids[3] ?? ''];
const startedAt = new Date(Date.now() - 60_000).toISOString();

async function createUser(at: number): Promise<void> {
  const { json } = await bare.create({ ...newPerson(), name: `Ada ${at}`, plan: 'pro', city: `City ${at}`, age: at });
  const { id } = json as { id: string };
  ids.push(id);
  await logChange(undefined, await findItem(userKey(id)));
}

async function createPost(title: string): Promise<void> {
  const { payload } = await mutate('createPost', { authorId: first(), title });
  const key = postKey(payload?.post.id ?? '');
  await logChange(undefined, key && (await findItem(key)));
}

beforeAll(async () => {
  for (let at = 0; at < USERS; at++) await createUser(at);
  for (const title of ['On Engines', 'On Looms', 'On Cards']) await createPost(title);
  for (const name of ['Ada B', 'Ada C']) await logWrite(userKey(first()), () => bare.update(first(), { name }));
  await logWrite(userKey(deleted()), () => bare.remove(deleted()));
  await indexPages();
});

const query = (text: string) => execute(text.replace('$ID', `"${first()}"`));

test.each<[string, () => Promise<{ status: number; headers: Record<string, unknown>; text: string }>]>([
  ['all users', () => enveloped.list()],
  ['newest first', () => enveloped.list({ order: 'desc' })],
  ['a page with a total', () => bare.list({ page: '2', limit: '2' })],
  ['a page, newest first', () => bare.list({ page: '2', limit: '2', order: 'desc' })],
  ['a period', () => enveloped.list({ createdAfter: startedAt })],
  ['a search', () => enveloped.list({ q: 'ada' }, { prefer: 'count=exact' })],
  ['a filter', () => enveloped.list({ plan: 'pro' }, { prefer: 'count=exact' })],
  ['two filters', () => enveloped.list({ plan: 'pro', 'age.gte': '2' }, { prefer: 'count=exact' })],
  ['a sorted list', () => enveloped.list({ sort: 'city', order: 'desc' })],
  ['a search in a sorted filter', () => enveloped.list({ plan: 'pro', sort: 'age', q: 'ada' })],
  ['changed users', () => enveloped.list({ changedSince: startedAt })],
  ['posts', () => query('{ user(id: $ID) { posts { title } } }')],
  ['the first posts', () => query('{ user(id: $ID) { posts(first: 2) { title } } }')],
  ['a connection', () => query('{ users(first: 2) { totalCount edges { cursor node { name } } } }')],
  ['a history', () => query('{ userHistory(id: $ID, first: 2) { nodes { kind version } pageInfo { hasNextPage } } }')],
  ['changes', () => query(`{ userChanges(since: "${startedAt}") { nodes { kind id } pageInfo { hasNextPage } } }`)],
])('%s: pages of one or no item give the same answer', async (_, ask) => {
  const [status, link, text] = await ask().then(({ status, headers, text }) => [status, headers.link, text]);
  expect(status).toBe(200);
  expect(text).toMatch(/Ada|On |UPDATED/);
  const countRequests = shortenPages();
  const shortened = await ask().finally(() => Object.assign(table, { send }));
  expect([shortened.status, shortened.headers.link, shortened.text]).toEqual([status, link, text]);
  expect(countRequests()).toBeGreaterThan(2);
});

test('the index counts all users and their deletion', async () => {
  shortenPages();
  await createUser(USERS);
  await indexPages().finally(() => Object.assign(table, { send }));
  expect((await bare.list({ limit: '1' })).headers['x-total-count']).toBe(String(USERS));
});
