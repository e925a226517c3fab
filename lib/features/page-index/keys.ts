import type { Key } from '../../dynamodb/keys.ts';

export const blockKey = (level: number, startAfter: string): Key => ({ pk: `PAGES#${level}`, sk: startAfter });

/** Shares the partition of the top-level blocks, so that one query reads both. */
export const checkpointKey: Key = { pk: 'PAGES#2', sk: 'CHECKPOINT' };

const ADJUSTMENTS = 'PAGES#ADJUSTMENTS';
const RETURN = 'RETURN';

/** Sorts before all adjustments of this time. Text order works while milliseconds have 13 digits. */
export const adjustmentsFrom = (milliseconds: number): Key => ({ pk: ADJUSTMENTS, sk: String(milliseconds) });

export const tombstoneKey = (milliseconds: number, userId: string): Key => ({
  pk: ADJUSTMENTS,
  sk: `${milliseconds}#${userId}`,
});

/** Sorts after the user's tombstone of the same millisecond: a user cannot return and be deleted that fast. */
export const returnKey = (milliseconds: number, userId: string): Key => ({
  pk: ADJUSTMENTS,
  sk: `${milliseconds}#${userId}#${RETURN}`,
});

export function parseAdjustmentKey(sk: string): { time: number; id: string; delta: 1 | -1 } {
  const [time = '', id = '', kind] = sk.split('#');
  return { time: Number(time), id, delta: kind === RETURN ? 1 : -1 };
}
