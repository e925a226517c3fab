import type { Key } from '../../dynamodb/keys.ts';

export const changeKey = (topic: string, position: string): Key => ({ pk: `CHANGES#${topic}`, sk: position });
export const epochKey = (epoch = ''): Key => ({ pk: 'CHANGES', sk: epoch });
/** Key of the start number of the order log's current run. */
export const changeLogHeadKey = (epoch: string): Key => ({ pk: `CHANGES#${epoch}`, sk: 'HEAD' });

/**
 * Partitions of stream slots. One partition takes 1,000 writes a second, but thousands of streams may reconnect
 * together.
 */
const SLOT_PARTITIONS = 16;

export function slotsKey(pool: string, item: number): Key {
  // Most pools have only item 0. Their names are hashes, so the first character spreads them.
  return { pk: `STREAMS#${(pool.charCodeAt(0) + item) % SLOT_PARTITIONS}`, sk: `${pool}#${item}` };
}
