import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { createClient } from '../../../../lib/client/client.ts';
import { putItems } from '../../../../lib/dynamodb/batch.ts';
import { DIRECTORY, userKey } from '../../../../lib/dynamodb/keys.ts';
import { parseLinks } from '../../../setup/links.ts';
import { startServiceHere } from '../../../setup/service.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { execute } from '../../graphql/client.ts';
import { bare, enveloped, parseError, type Response } from '../../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/odd-own-fields.json';
});

const note = `"${'🦊'.repeat(1499)}`;
/** Lambda's limit of a response, which has the body as an escaped JSON string. */
const MAX_BYTES = 6_000_000;
const countBytes = ({ text }: Response) => Buffer.byteLength(JSON.stringify(text));

async function listAll(after?: string): Promise<{ id: string }[]> {
  const users: { id: string }[] = [];
  let query: Record<string, string> | undefined = after ? { after } : {};
  while (query) {
    const page: Response = await enveloped.list(query);
    expect(countBytes(page)).toBeLessThan(MAX_BYTES);
    users.push(...(page.json as { data: { id: string }[] }).data);
    query = parseLinks(page).next?.query;
  }
  return users;
}

/** Writes users with a long note. */
async function putUsers(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  const time = new Date().toISOString();
  const times = { createdAt: time, updatedAt: time };
  const items = ids.map((id) => ({
    ...userKey(id),
    directory: DIRECTORY,
    ...newPerson(),
    fields: { note },
    version: 1,
    ...times,
  }));
  await putItems(items);
  return ids;
}

test('a list of large users is shortened below Lambda’s limit, or returns 400 with page numbers', async () => {
  const ids = await putUsers(1_001);
  const after = ids[0] ?? '';
  expect((await listAll(after)).map(({ id }) => id)).toEqual(ids.slice(1));
  const tooMany = await bare.list({ limit: '1000', after });
  expect(tooMany.status).toBe(400);
  expect(parseError(tooMany).issues?.[0]?.path).toEqual(['limit']);
  expect((await bare.list({ limit: '300', after })).status).toBe(200);
});

test('a list of large users is listed by the client in smaller pages', async () => {
  const service = await startServiceHere();
  const { users } = createClient({ baseUrl: service.url });
  const [all, newestFirst] = [
    await Array.fromAsync(users.list()),
    await Array.fromAsync(users.list({ order: 'desc' })),
  ];
  await service.stop();
  expect(all.length).toBeGreaterThan(1_000);
  expect(all.map(({ id }) => id)).toEqual((await listAll()).map(({ id }) => id));
  expect(newestFirst.toReversed()).toEqual(all);
});

test('a list of large users exceeds the GraphQL budget before it is built', async () => {
  const nodes = Array.from(
    { length: 15 },
    (_, at) => `u${at}: users(first: 100, order: DESC) { edges { node { note } } }`,
  );
  const { errors } = await execute(`{ ${nodes.join(' ')} }`);
  expect(errors?.[0]?.message).toBe(
    'The operation returns more than 5000000 bytes; use first to limit its lists, or send several requests',
  );
});
