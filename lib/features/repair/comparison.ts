import { getItems } from '../../dynamodb/batches.ts';
import { formatKey, type Key, userKey } from '../../dynamodb/keys.ts';
import { mapParallel } from '../../parallel.ts';
import { listPossibleClaims } from '../../users/list-claims.ts';
import { readUser, type User } from '../../users/schema.ts';
import type { Fields } from './backfill-record.ts';
import { itemChecks, userChecks } from './checks.ts';
import type { Inconsistency, Kind, ListClaims, Repaired, Stored } from './inconsistency.ts';

/**
 * What is compared at once: `users` with the items that they must have, and with their users `items` and what is left of
 * `versions`, those that users had before, also of `former` fields.
 */
export type Part = { users: User[]; items?: Stored[]; versions?: User[]; former?: Fields | undefined };

type Options = {
  ConsistentRead?: boolean;
  /**
   * Other claims are removed. By default a claim stays for as long as its user has the value, whether or not the field is
   * declared: during a deploy, or after a rollback, it may be unique for others.
   */
  listClaims?: ListClaims;
};

const NO_FIELDS: Fields = { unique: [], search: [] };

const isUserItem = ({ sk }: Key) => sk === userKey('').sk;

/** Reads the users among items. */
export const readUsers = (items: Stored[]): User[] => items.filter(isUserItem).flatMap((item) => readUser(item) ?? []);

/** Compares users with their items, and items with their users. Concurrent writes can cause false results. */
export async function findInconsistencies(
  { users, items = [], versions = [], former = NO_FIELDS }: Part,
  { ConsistentRead = false, listClaims = listPossibleClaims }: Options = {},
): Promise<Inconsistency[]> {
  const existing = new Map(users.map((user) => [user.id, user]));
  const expected = oldestFirst(users).flatMap((user) => userChecks.flatMap((list) => list(user)));
  const possible = versions.flatMap((version) =>
    itemChecks.flatMap(({ listFormerKeys }) => listFormerKeys?.(version, existing.get(version.id), former) ?? []),
  );
  const keys = [...expected.map(({ key }) => key), ...possible];
  const stored = new Map((await getItems(keys, { ConsistentRead })).map((item) => [formatKey(item), item]));
  const find = (key: Key) => stored.get(formatKey(key));

  const compared = [...items, ...new Set(possible.flatMap((key) => find(key) ?? []))];
  const missing = expected.filter(({ key, isSound }) => !isSound(find(key)));
  const owners = [...compared, ...missing.map(({ key }) => find(key))].flatMap((item) => findOwnerId(item) ?? []);
  const unknown = owners.filter((id) => !existing.has(id)).map(userKey);
  for (const user of readUsers(await getItems(unknown, { ConsistentRead }))) existing.set(user.id, user);

  const lacks = missing.map(({ key, describe }) => describe(existing.get(findOwnerId(find(key)) ?? '')));
  const described = new Set(lacks.map(formatFound));
  const wrong = compared.flatMap((item) => compareItem(item, existing, listClaims));
  // A claim that is gone can be made for another user.
  return [...wrong.filter((found) => !described.has(formatFound(found))), ...lacks];
}

/** Of users with the same value, the oldest gets the claim first. */
const oldestFirst = (users: User[]) => users.toSorted((one, other) => (one.id < other.id ? -1 : 1));

const findOwnerId = (item: Stored | undefined): string | undefined =>
  item && itemChecks.map(({ findUserId }) => findUserId(item)).find((id) => id !== undefined);

const formatFound = ({ kind, key }: Inconsistency) => `${kind} ${formatKey(key)}`;

const compareItem = (item: Stored, users: Map<string, User>, listClaims: ListClaims): Inconsistency[] =>
  itemChecks.flatMap(({ kind, findUserId, isSound, repair }) => {
    const userId = findUserId(item);
    if (userId === undefined || isSound(item, users.get(userId), listClaims)) return [];
    return { kind, key: item, repair: (settledAt) => repair(item, listClaims, settledAt) };
  });

export type RepairOptions = { settle?: () => Promise<unknown>; settledAt?: number };

type Outcome = Repaired & { kind: Kind };

/**
 * Repairs each, those of one key one after the other. Search entries come last, after `settle`, if on-change may be about to
 * write them.
 */
export async function repairAll(
  inconsistencies: Inconsistency[],
  { settle = async () => {}, settledAt }: RepairOptions = {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const repairEach = (found: Inconsistency[]) =>
    mapParallel([...Map.groupBy(found, ({ key }) => formatKey(key)).values()], async (ofKey) => {
      for (const { kind, repair } of ofKey) outcomes.push({ kind, ...(await repair(settledAt)) });
    });
  const isEntry = ({ kind }: Inconsistency) => kind === 'search entry that differs';
  const entries = inconsistencies.filter(isEntry);
  await repairEach(inconsistencies.filter((found) => !isEntry(found)));
  if (entries.length > 0) await settle();
  await repairEach(entries);
  return outcomes;
}
