import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional.ts';
import { environment, timestamp } from '../../environment.ts';
import { TEXT_VERSION } from '../../input/text.ts';
import { nameClaims, searchFields, uniqueFields } from '../../users/fields/values.ts';
import { listDescriptions } from '../filters/entries.ts';
import { backfillKey } from './keys.ts';

/** What decides the derived items of users. */
export type DerivedFields = {
  /** As `nameClaims` names them: a field that was declared in another way is another one. */
  unique: string[];
  /** The order decides under which prefixes words are stored. */
  search: string[];
  /** Whether a search finds domains. */
  domains: boolean;
  textVersion: number;
  /** The descriptions of filter and sort lists, by name of the list. */
  lists: Readonly<Record<string, string>>;
};

/** The progress of giving all users the derived items that the declarations ask for. */
export type Backfill = DerivedFields & {
  /** Fields that were unique once, or in another way: the backfill deletes their claims. */
  formerUnique: string[];
  /** The time from which a list shows all users, by name of the list. Other lists may lack users. */
  completeFrom: Record<string, string>;
  /** Unique fields of whose values all users have claims, except duplicates. As `nameClaims` names them. */
  completeClaims: readonly string[];
  /** The last time when another release wrote a user without the right entries of a list, by name of the list. */
  foreignWrites: Record<string, string>;
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

/** The declarations of this release. */
export const declared: DerivedFields = {
  unique: uniqueFields.map(nameClaims).toSorted(),
  search: searchFields.map(({ name }) => name),
  domains: environment.searchesDomains,
  textVersion: TEXT_VERSION,
  lists: listDescriptions,
};

/** Returns the backfill that runs or ended last. Undefined before the first. */
export async function readBackfill(): Promise<Backfill | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: backfillKey, ConsistentRead: true }));
  return Item as Backfill | undefined; // Only this file writes it.
}

/** True if the backfill was made for the declarations of this release. */
export const isForDeclared = (backfill: Backfill | undefined): boolean =>
  backfill !== undefined && isDeepStrictEqual(pickDeclarations(backfill), declared);

const pickDeclarations = ({ unique, search, domains, textVersion, lists }: DerivedFields): DerivedFields => ({
  unique,
  search,
  domains,
  textVersion,
  lists,
});

/** A new backfill for the declarations of this release. */
export function createBackfill(last: Backfill | undefined): Backfill {
  const once = [...(last?.formerUnique ?? []), ...(last?.unique ?? [])];
  const startedAt = timestamp();
  return {
    ...declared,
    formerUnique: [...new Set(once)].filter((name) => !declared.unique.includes(name)),
    // Before the first backfill of a table, this release has written all users, with their claims and list entries.
    completeFrom: last
      ? keepEqualLists(last, last.completeFrom)
      : Object.fromEntries(Object.keys(declared.lists).map((name) => [name, startedAt])),
    completeClaims: last ? last.completeClaims.filter((name) => declared.unique.includes(name)) : declared.unique,
    foreignWrites: last ? keepEqualLists(last, last.foreignWrites) : {},
    ...{ startedAt, users: 0, rewritten: 0, duplicates: 0 },
    revision: (last?.revision ?? 0) + 1,
  };
}

/** The same backfill, of another release, from the first user on. Writes of this release may have left its lists incomplete. */
export const restartBackfill = ({ endedAt: _, scannedUpTo: __, ...last }: Backfill): Backfill => ({
  ...last,
  completeFrom: keepEqualLists(last, last.completeFrom),
  ...{ startedAt: timestamp(), users: 0, rewritten: 0, duplicates: 0 },
  revision: last.revision + 1,
});

/** Lists that both releases describe in the same way stay complete: both write the same entries. */
const keepEqualLists = ({ lists }: Backfill, times: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(times).filter(([name]) => lists[name] === declared.lists[name]));

/** Reads are eventually consistent. A list that reads just rewritten users may still miss them. */
const SETTLING_MS = 5_000;

/** The times from which the lists are complete, once all users are done. Those of complete lists stay. */
export function completeLists({ completeFrom, rewritten }: Backfill): Backfill['completeFrom'] {
  const from = new Date(environment.now() + (rewritten > 0 ? SETTLING_MS : 0)).toISOString();
  return { ...Object.fromEntries(Object.keys(declared.lists).map((name) => [name, from])), ...completeFrom };
}

/** Notes that another release has left wrong entries in lists. Undefined if that was noted a moment ago. */
export function noteForeignWrite(last: Backfill, lists: readonly string[]): Backfill | undefined {
  const now = timestamp();
  const isRecent = (name: string) => Date.parse(now) - Date.parse(last.foreignWrites[name] ?? '') < NOTED_MS;
  if (lists.every(isRecent)) return undefined;
  const foreignWrites = { ...last.foreignWrites, ...Object.fromEntries(lists.map((name) => [name, now])) };
  return { ...last, foreignWrites, revision: last.revision + 1 };
}

/** Foreign writes are noted this often at most. */
const NOTED_MS = 30_000;

/** During a deployment, a list is incomplete until the other release has written nothing for this long. */
const QUIET_MS = 120_000;

/** True if the entries of a list are those of all users, under the declarations of this release. */
export function isComplete({ lists, completeFrom, foreignWrites }: Backfill, name: string): boolean {
  const now = environment.now();
  const from = completeFrom[name];
  const foreignWrite = foreignWrites[name];
  if (lists[name] !== declared.lists[name] || from === undefined) return false;
  return Date.parse(from) <= now && (foreignWrite === undefined || Date.parse(foreignWrite) + QUIET_MS <= now);
}

/** Returns false if a parallel run has saved its progress first. */
export const saveBackfill = (next: Backfill): Promise<boolean> =>
  putItemIf({
    Item: { ...backfillKey, ...next },
    ConditionExpression: 'attribute_not_exists(pk) OR revision = :read',
    ExpressionAttributeValues: { ':read': next.revision - 1 },
  });

/** Saves a change of the backfill, whatever parallel runs save. `change` returns undefined if there is nothing to save. */
export async function updateBackfill(change: (last: Backfill) => Backfill | undefined): Promise<void> {
  for (;;) {
    const last = await readBackfill();
    const next = last && change(last);
    if (!next || (await saveBackfill(next))) return;
  }
}
