import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { putItems } from '../../../../lib/dynamodb/batches.ts';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { DIRECTORY, type Item, userKey } from '../../../../lib/dynamodb/keys.ts';
import { createEntries, updateEntries } from '../../../../lib/features/search/entries.ts';
import type { User } from '../../../../lib/users/schema.ts';

export const newUser = (name: string, email = `${uuidv7()}@example.org`): User => ({
  id: uuidv7(),
  name,
  email,
  own: {},
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  version: 1,
});

/** The service stores a user so. */
export const toItem = ({ id, own: _, ...attributes }: User): Item => ({
  ...userKey(id),
  directory: DIRECTORY,
  ...attributes,
});

/** Puts the entries of many users at once, as on-change leaves them. */
export const putEntries = (users: User[]) => putItems(users.flatMap(createEntries));

/** It does what on-change does for a write. */
export const write = (before: User | undefined, after: User | undefined) =>
  updateEntries({ before: before && toItem(before), after: after && toItem(after) });

/** Reads all items of the index except deletion markers. */
export async function readEntries(): Promise<Item[]> {
  const entries: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true }))
    entries.push(...Items.filter(({ pk, name }) => pk.startsWith('SEARCH#') && name !== undefined));
  return entries;
}

export const byKey = (one: Item, other: Item) => (`${one.pk} ${one.sk}` < `${other.pk} ${other.sk}` ? -1 : 1);
