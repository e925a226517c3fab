import type { Actor } from '../../auth/caller.ts';
import { putItemIfMissing } from '../../dynamodb/conditional.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { changeKey } from './keys.ts';
import { findTopic } from './topics.ts';

export type Kind = 'CREATED' | 'UPDATED' | 'DELETED';

/** A user or a post was changed. */
export type Change = {
  kind: Kind;
  /** The id of the user or post. */
  id: string;
  /** The write happened at this time by the writer's clock, in ISO 8601. */
  at: string;
  /** The time when it reached the stream by DynamoDB's clock, in ms, rounded down: the change was made then or later. */
  streamedAt: number;
  /** Who wrote it; null if that was not stored. */
  by: Actor | null;
  /** The write made this version. */
  version: number;
  /** The stored item as the change left it, null when it was deleted. */
  item: Item | null;
  /** The attributes that an update has replaced, null where there was none before; all of what was deleted. */
  before?: Item | undefined;
  /** The change has this sequence number in the table's stream, which rises from each change of an item to the next. */
  sequence: string;
};

/** A subscriber may resume from a cursor for this long. */
export const RETENTION_SECONDS = 24 * 3600;

/** Entries are kept longer, so that none disappears while it is read. */
export const MARGIN_SECONDS = 3600;

/** Pages of changes begin up to this long ago, or `historyDays` ago. */
export const MIN_REACH_SECONDS = 25 * 3600;

/** How long the changes of all users can be read, as entries that are put now are kept. */
export const findReachSeconds = (): number => Math.max(MIN_REACH_SECONDS, environment.historyDays * 24 * 3600);

/** As long as the records of deletions: subscribers resume, and the history shows a deleted user, for two days. */
const MIN_ENTRY_SECONDS = 48 * 3600;

/** This is what a put has found: an entry that was there before knows from where on the order log may have it. */
export type EntryPut = { isRepeated: boolean; searchFrom: number };

/**
 * Puts the entry of a change, the only item of the log that holds personal data, into the log of its user or author. Each
 * change has one key, however often the stream delivers it. `searchFrom` is the number of the last entry of the order log
 * that is known: an entry that is new here can only be referred to after it.
 */
export async function putEntry({ sequence, ...change }: Change, searchFrom: number): Promise<EntryPut> {
  const retentionSeconds = Math.max(MIN_ENTRY_SECONDS, environment.historyDays * 24 * 3600);
  const expiresAt = Math.floor(environment.now() / 1000) + retentionSeconds + MARGIN_SECONDS;
  const item = { ...changeKey(findTopic(change.id).name, sequence), ...change, searchFrom, expiresAt };
  const earlier = await putItemIfMissing(item);
  return earlier
    ? { isRepeated: true, searchFrom: Number(earlier.searchFrom ?? 0) }
    : { isRepeated: false, searchFrom };
}
