import type { Key } from '../../dynamodb/keys.ts';

/** A topic's name begins with the epoch of the log. */
export const changeKey = (topic: string, position: string): Key => ({ pk: `CHANGES#${topic}`, sk: position });
/** The items that list the epochs of all logs that the table holds. A key that has no epoch is in their partition. */
export const epochKey = (epoch = ''): Key => ({ pk: 'CHANGES', sk: epoch });
/** The item with the number with which the current run of the order log has started. */
export const changeLogHeadKey = (epoch: string): Key => ({ pk: `CHANGES#${epoch}`, sk: 'HEAD' });

/** One takes 1,000 writes a second; streams by the thousand that reconnect together are more. */
const SLOT_PARTITIONS = 16;

/** The slots of all callers, or of one: each item holds a number of them. */
export function slotsKey(pool: string, item: number): Key {
  // Most callers have one item. Their names are hashes, whose first character spreads them.
  return { pk: `STREAMS#${(pool.charCodeAt(0) + item) % SLOT_PARTITIONS}`, sk: `${pool}#${item}` };
}
