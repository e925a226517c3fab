import type { ChangeEntry } from '../change-log/entry.ts';
import { readLatestEntries } from '../change-log/own-log.ts';
import { userTopic } from '../change-log/topics.ts';
import { type Item, userKey } from '../dynamodb/keys.ts';
import { environment } from '../environment.ts';
import { ownFields, showValue } from './own-fields/declared.ts';
import type { User } from './schema.ts';
import { readUser } from './search/entries.ts';

/** A change of a user. Nothing is left of both images once the user was erased. */
export type HistoryEntry = Pick<ChangeEntry, 'kind' | 'at' | 'by' | 'version' | 'sequence'> & {
  before: User | undefined;
  after: User | undefined;
  /** The members whose values differ, by their names. */
  changed: string[];
};

/** Returns the time, in ms, since which changes are kept. */
export const findHistoryStart = (): number => environment.now() - Math.max(1, environment.historyDays) * 24 * 3_600_000;

/**
 * Reads the changes of a user who may have been deleted, latest first: after the change with a sequence number, or from the
 * last one on. They appear seconds after the writes.
 */
export async function readHistory(
  id: string,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<{ entries: HistoryEntry[]; hasMore: boolean }> {
  const entries = await readLatestEntries(userTopic(id), after, limit + 1);
  const start = findHistoryStart();
  // DynamoDB deletes expired items late.
  const kept = entries.filter(({ at }) => Date.parse(at) >= start);
  return { entries: kept.slice(0, limit).map(toHistory), hasMore: kept.length > limit };
}

function toHistory({ id, kind, at, by, version, sequence, item, before }: ChangeEntry): HistoryEntry {
  const parse = (image: Item | undefined) => image && readUser({ ...image, ...userKey(id) });
  // The log holds the values that an update has replaced, and all of a deleted user.
  const images = { before: parse(before && { ...item, ...before }), after: parse(item ?? undefined) };
  return { kind, at, by, version, sequence, ...images, changed: listChanged(images.before, images.after) };
}

function listChanged(before: User | undefined, after: User | undefined): string[] {
  const [old, current] = [listValues(before), listValues(after)];
  return [...current.keys()].filter((name) => !isSame(old.get(name), current.get(name)));
}

/** The values that clients see of a user, by name; undefined where there is none. */
const listValues = (user: User | undefined): Map<string, unknown> =>
  new Map<string, unknown>([
    ['name', user?.name],
    ['email', user?.email],
    ...ownFields.map((field): [string, unknown] => [field.name, user && showValue(field, user.fields)]),
  ]);

/** Values are plain, or lists of plain ones. */
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
