import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { TableName, table } from '../../dynamodb/client.ts';
import { searchFields, uniqueFields } from '../own-fields/declared.ts';
import { backfillKey } from './keys.ts';

const fields = z.object({ unique: z.array(z.string()), search: z.array(z.string()) });

/** The names of unique and of search fields. */
export type Fields = z.infer<typeof fields>;

const stored = z.extend(fields, {
  /** Fields that were unique or searched once. Claims and entries of theirs may be left, and are looked for where they may stand. */
  former: z._default(fields, { unique: [], search: [] }),
  startedAt: z.string(),
  endedAt: z.optional(z.string()),
  /** The id of the last user who is done; none before the first. */
  scannedUpTo: z.optional(z.string()),
  users: z.number(),
  claims: z.number(),
  entries: z.number(),
  duplicates: z.number(),
  /** Each write raises it, so that of runs at the same time one goes on. */
  revision: z.number(),
});

/** For these fields users are given the claims and search entries that they lack, and so many were until now. */
export type Backfill = z.infer<typeof stored>;

/** Returns the backfill that runs, or ended last; undefined before the first. */
export async function readBackfill(): Promise<Backfill | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: backfillKey, ConsistentRead: true }));
  return Item && stored.parse(Item);
}

const NO_FIELDS: Fields = { unique: [], search: [] };

/** The order of search fields decides under which keys entries stand. */
export const declared: Fields = {
  unique: uniqueFields.map(({ name }) => name).toSorted(),
  search: searchFields.map(({ name }) => name),
};

export const isForDeclared = ({ unique, search }: Fields = NO_FIELDS): boolean =>
  isDeepStrictEqual({ unique, search }, declared);

/**
 * Returns the fields that are former ones now, also those that are so only since the last backfill: changes are verified before
 * the next backfill starts, too. A search field that others come before stands elsewhere, and so do all after it.
 */
export function listFormer(last: Backfill | undefined): Fields {
  if (!last) return NO_FIELDS;
  const { unique, search, former } = last;
  const isKept = search.every((name, at) => declared.search[at] === name);
  return {
    unique: [...new Set([...former.unique, ...unique.filter((name) => !declared.unique.includes(name))])],
    search: [...new Set([...former.search, ...(isKept ? [] : search)])],
  };
}
