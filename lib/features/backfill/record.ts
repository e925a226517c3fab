import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional.ts';
import { timestamp } from '../../environment.ts';
import { searchFields, uniqueFields } from '../../users/fields/values.ts';
import { backfillKey } from './keys.ts';

/** The names of fields by what is derived from them. */
export type DerivedFields = { unique: string[]; search: string[] };

/** The progress of giving all users the derived items that the declarations ask for. */
export type Backfill = DerivedFields & {
  /** Fields that were unique once: the backfill deletes their claims. */
  formerUnique: string[];
  startedAt: string;
  endedAt?: string;
  /** The id of the last user who is done. Undefined before the first. */
  scannedUpTo?: string;
  users: number;
  /** Users whose derived items were changed. */
  rewritten: number;
  duplicates: number;
  /** Each write raises it, so that of two parallel runs one stops. */
  revision: number;
};

/** The declarations of this release. The order of search fields decides under which prefixes their words are stored. */
export const declared: DerivedFields = {
  unique: uniqueFields.map(({ name }) => name).toSorted(),
  search: searchFields.map(({ name }) => name),
};

/** Returns the backfill that runs or ended last. Undefined before the first. */
export async function readBackfill(): Promise<Backfill | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: backfillKey, ConsistentRead: true }));
  return Item as Backfill | undefined; // Only this file writes it.
}

const NO_FIELDS: DerivedFields = { unique: [], search: [] };

/** True if the backfill was made for the declarations of this release. */
export const isForDeclared = ({ unique, search }: DerivedFields = NO_FIELDS): boolean =>
  isDeepStrictEqual({ unique, search }, declared);

/** A new backfill for the declarations of this release. */
export function createBackfill(last: Backfill | undefined): Backfill {
  const once = [...(last?.formerUnique ?? []), ...(last?.unique ?? [])];
  return {
    ...declared,
    formerUnique: [...new Set(once)].filter((name) => !declared.unique.includes(name)),
    ...{ startedAt: timestamp(), users: 0, rewritten: 0, duplicates: 0 },
    revision: (last?.revision ?? 0) + 1,
  };
}

/** The same backfill from the first user on. */
export const restartBackfill = ({ endedAt: _, scannedUpTo: __, ...last }: Backfill): Backfill => ({
  ...last,
  ...{ startedAt: timestamp(), users: 0, rewritten: 0, duplicates: 0 },
  revision: last.revision + 1,
});

/** Returns false if a parallel run has saved its progress first. */
export const saveBackfill = (next: Backfill): Promise<boolean> =>
  putItemIf({
    Item: { ...backfillKey, ...next },
    ConditionExpression: 'attribute_not_exists(pk) OR revision = :read',
    ExpressionAttributeValues: { ':read': next.revision - 1 },
  });
