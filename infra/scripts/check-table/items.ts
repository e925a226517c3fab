import { BatchGetCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { type Key, parseTombstoneKey, tombstoneKey, parseUserId, userKey } from '../../../lib/dynamodb/keys.ts';

export type User = { id: string; email: string; version: number };
export type Claim = Key & { userId: string };
export type Post = Key & { authorId: string };
export type Tombstone = Key & { userId: string };

/** The items of one page of a scan that depend on others. */
export type Page = { scanned: number; users: User[]; claims: Claim[]; posts: Post[]; tombstones: Tombstone[] };

const key = z.object({ pk: z.string(), sk: z.string() });
const user = key.extend({ email: z.string(), version: z.number() });
const claim = key.extend({ userId: z.string() });

export async function* scanTable(): AsyncGenerator<Page> {
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true })) {
    const page: Page = { scanned: Items.length, users: [], claims: [], posts: [], tombstones: [] };
    for (const item of Items) addToPage(page, item);
    yield page;
  }
}

function addToPage(page: Page, item: unknown): void {
  const { pk, sk } = key.parse(item);
  if (pk.startsWith('EMAIL#')) page.claims.push(claim.parse(item));
  else if (pk === tombstoneKey(0).pk) page.tombstones.push({ pk, sk, userId: parseTombstoneKey(sk).id });
  else if (pk.startsWith('USER#') && sk.startsWith('POST#')) page.posts.push({ pk, sk, authorId: parseUserId(pk) });
  else if (pk.startsWith('USER#') && sk === 'USER') page.users.push(parseUser(item));
}

function parseUser(item: unknown): User {
  const { pk, email, version } = user.parse(item);
  return { id: parseUserId(pk), email, version };
}

/** Reads users by id, strongly consistent. */
export async function getUsers(ids: string[]): Promise<Map<string, User>> {
  const items = await getItems([...new Set(ids)].map(userKey));
  return new Map(items.map(parseUser).map((each) => [each.id, each]));
}

/** Reads email claims by key, strongly consistent. Returns the ids of their users. */
export async function getClaims(keys: Key[]): Promise<Map<string, string>> {
  const unique = new Map(keys.map((each) => [each.pk, each]));
  const claims = (await getItems([...unique.values()])).map((item) => claim.parse(item));
  return new Map(claims.map(({ pk, userId }) => [pk, userId]));
}

const MAX_BATCH = 100;

async function getItems(keys: Key[]): Promise<unknown[]> {
  const items: unknown[] = [];
  let remaining: Record<string, unknown>[] = keys;
  while (remaining.length > 0) {
    const RequestItems = { [TableName]: { Keys: remaining.slice(0, MAX_BATCH), ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await table.send(new BatchGetCommand({ RequestItems }));
    items.push(...(Responses?.[TableName] ?? []));
    remaining = [...(UnprocessedKeys?.[TableName]?.Keys ?? []), ...remaining.slice(MAX_BATCH)];
  }
  return items;
}
