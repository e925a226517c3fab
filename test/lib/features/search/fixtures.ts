import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { putItems } from '../../../../lib/dynamodb/batches.ts';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import type { Item } from '../../../../lib/dynamodb/keys.ts';
import { createEntries, updateEntries } from '../../../../lib/features/search/entries.ts';
import type { User } from '../../../../lib/users/schema.ts';
import { toItem } from '../../users/stored-user.ts';

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
