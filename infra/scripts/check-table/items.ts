import { paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { getItems } from '../../../lib/dynamodb/batches.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import type { Item } from '../../../lib/dynamodb/keys.ts';
import { type Key, parseTombstoneKey, parseUserId, tombstoneKey, userKey } from '../../../lib/dynamodb/keys.ts';

export type User = { id: string; email: string; version: number };
export type Claim = Key & { userId: string };
export type Post = Key & { authorId: string };
export type Tombstone = Key & { userId: string };

/** The items of one page of a scan that depend on others. */
export type Page = { items: (Item & Key)[]; users: User[]; claims: Claim[]; posts: Post[]; tombstones: Tombstone[] };

const key = z.object({ pk: z.string(), sk: z.string() });
const user = key.extend({ email: z.string(), version: z.number() });
const claim = key.extend({ userId: z.string() });

export async function* scanTable(): AsyncGenerator<Page> {
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true })) {
    const page: Page = { items: Items as (Item & Key)[], users: [], claims: [], posts: [], tombstones: [] };
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

const CONSISTENT = { ConsistentRead: true };

/** Reads users by id, strongly consistent. */
export async function getUsers(ids: string[]): Promise<Map<string, User>> {
  const items = await getItems(ids.map(userKey), CONSISTENT);
  return new Map(items.map(parseUser).map((each) => [each.id, each]));
}

/** Reads email claims by key, strongly consistent. Returns the ids of their users. */
export async function getClaims(keys: Key[]): Promise<Map<string, string>> {
  const claims = (await getItems(keys, CONSISTENT)).map((item) => claim.parse(item));
  return new Map(claims.map(({ pk, userId }) => [pk, userId]));
}
