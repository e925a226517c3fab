import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { type WriteResult, writeIf } from '../../dynamodb/conditional.ts';
import { environment, timestamp } from '../../environment.ts';
import { TEXT_VERSION } from '../../input/text.ts';
import type { SearchField } from '../../users/derived-keys.ts';
import { nameClaims, uniqueFields } from '../../users/fields/values.ts';
import { listDescriptions } from '../filters/entries.ts';
import { searchFields } from '../search/entries.ts';
import { backfillKey } from './keys.ts';

type DerivedFields = {
  /** Names from `nameClaims`: a field that is declared differently has another name. */
  unique: string[];
  /** Fields in declaration order, which determines the prefixes under which words are stored. */
  search: SearchField[];
  domains: boolean;
  textVersion: number;
  lists: Readonly<Record<string, string>>;
};

export type Backfill = DerivedFields & {
  formerUnique: string[];
  /** Time from which each list is complete, by list name. Other lists may lack users. */
  completeFrom: Record<string, string>;
  /** Fields for which all users have claims, except for duplicate values. Names from `nameClaims`. */
  completeClaims: readonly string[];
  /** Last time another release wrote wrong entries, by list name. */
  foreignWrites: Record<string, string>;
  startedAt: string;
  endedAt?: string;
  scannedUpTo?: string;
  users: number;
  rewritten: number;
  duplicates: number;
  /** Increases with each write: of two parallel runs, the second fails to write and stops. */
  revision: number;
};

export const declared: DerivedFields = {
  unique: uniqueFields.map(nameClaims).toSorted(),
  search: searchFields,
  domains: environment.searchesDomains,
  textVersion: TEXT_VERSION,
  lists: listDescriptions,
};

export async function readBackfill(): Promise<Backfill | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: backfillKey, ConsistentRead: true }));
  return Item as Backfill | undefined; // Only this file writes it.
}

export const isForDeclared = (backfill: Backfill | undefined): boolean =>
  backfill !== undefined && isDeepStrictEqual(pickDeclarations(backfill), declared);

const pickDeclarations = ({ unique, search, domains, textVersion, lists }: DerivedFields): DerivedFields => ({
  unique,
  search,
  domains,
  textVersion,
  lists,
});

/** In the past for every clock: the current time could be in the future for another environment. */
const ALWAYS = new Date(0).toISOString();

export function createBackfill(last: Backfill | undefined): Backfill {
  const everUnique = new Set([...(last?.formerUnique ?? []), ...(last?.unique ?? [])]);
  const startedAt = timestamp();
  return {
    ...declared,
    formerUnique: [...everUnique].filter((name) => !declared.unique.includes(name)),
    // Before the first backfill, only this release has written users, with complete claims and entries.
    completeFrom: last
      ? keepEqualLists(last, last.completeFrom)
      : Object.fromEntries(Object.keys(declared.lists).map((name) => [name, ALWAYS])),
    completeClaims: last ? keepOwnClaims(last) : declared.unique,
    foreignWrites: last ? keepEqualLists(last, last.foreignWrites) : {},
    startedAt,
    users: 0,
    rewritten: 0,
    duplicates: 0,
    revision: (last?.revision ?? 0) + 1,
  };
}

/**
 * Starts another release's backfill from the beginning: writes of this release may have left its lists and claims
 * incomplete.
 */
export const restartBackfill = ({ endedAt: _, scannedUpTo: __, ...last }: Backfill): Backfill => ({
  ...last,
  completeFrom: keepEqualLists(last, last.completeFrom),
  completeClaims: keepOwnClaims(last),
  startedAt: timestamp(),
  users: 0,
  rewritten: 0,
  duplicates: 0,
  revision: last.revision + 1,
});

/** Keeps the times of lists that both releases declare alike, because they write the same entries. */
const keepEqualLists = ({ lists }: Backfill, times: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(times).filter(([name]) => lists[name] === declared.lists[name]));

/** Keeps the names of claims that this release writes, too. */
const keepOwnClaims = ({ completeClaims }: Backfill): string[] =>
  completeClaims.filter((name) => declared.unique.includes(name));

/** Time until eventually consistent list reads show all rewritten users. */
const SETTLING_MS = 5_000;

/** Call when all users are processed. Lists that were complete before keep their time. */
export function completeLists({ completeFrom, rewritten }: Backfill): Backfill['completeFrom'] {
  const from = new Date(environment.now() + (rewritten > 0 ? SETTLING_MS : 0)).toISOString();
  return { ...Object.fromEntries(Object.keys(declared.lists).map((name) => [name, from])), ...completeFrom };
}

/** A list's time in `foreignWrites` is updated at most this often. */
const NOTED_MS = 30_000;

export function noteForeignWrite(last: Backfill, lists: readonly string[]): Backfill | undefined {
  const now = timestamp();
  const isRecent = (name: string) => Date.parse(now) - Date.parse(last.foreignWrites[name] ?? '') < NOTED_MS;
  if (lists.every(isRecent)) return undefined;
  const foreignWrites = { ...last.foreignWrites, ...Object.fromEntries(lists.map((name) => [name, now])) };
  return { ...last, foreignWrites, revision: last.revision + 1 };
}

/** During a deployment, a list stays incomplete until the other release has not written for this long. */
const QUIET_MS = 120_000;

export function isComplete({ lists, completeFrom, foreignWrites }: Backfill, name: string): boolean {
  const now = environment.now();
  const from = completeFrom[name];
  const foreignWrite = foreignWrites[name];
  if (lists[name] !== declared.lists[name] || from === undefined) return false;
  return Date.parse(from) <= now && (foreignWrite === undefined || Date.parse(foreignWrite) + QUIET_MS <= now);
}

export const saveBackfill = (next: Backfill): Promise<WriteResult> =>
  writeIf('Put', {
    Item: { ...backfillKey, ...next },
    ConditionExpression: 'attribute_not_exists(pk) OR revision = :read',
    ExpressionAttributeValues: { ':read': next.revision - 1 },
  });

export async function updateBackfill(change: (last: Backfill) => Backfill | undefined): Promise<void> {
  for (;;) {
    const last = await readBackfill();
    const next = last && change(last);
    if (!next || !(await saveBackfill(next)).failure) return;
  }
}
