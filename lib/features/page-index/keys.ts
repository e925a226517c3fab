import type { Key } from '../../dynamodb/keys.ts';

export const blockKey = (level: number, startAfter: string): Key => ({ pk: `PAGES#${level}`, sk: startAfter });

/** The checkpoint is stored next to the blocks of the top level, so that one query reads them together. */
export const checkpointKey: Key = { pk: 'PAGES#2', sk: 'CHECKPOINT' };

const ADJUSTMENTS = 'PAGES#ADJUSTMENTS';
const RETURN = 'RETURN';

/** Sorts before all adjustments of that time: as text, as long as milliseconds have 13 digits. */
export const adjustmentsFrom = (milliseconds: number): Key => ({ pk: ADJUSTMENTS, sk: String(milliseconds) });

export const tombstoneKey = (milliseconds: number, userId: string): Key => ({
  pk: ADJUSTMENTS,
  sk: `${milliseconds}#${userId}`,
});

/** Of one user and millisecond, the tombstone sorts first: nobody returns and is deleted that fast. */
export const returnKey = (milliseconds: number, userId: string): Key => ({
  pk: ADJUSTMENTS,
  sk: `${milliseconds}#${userId}#${RETURN}`,
});

export function parseAdjustmentKey(sk: string): { time: number; id: string; delta: 1 | -1 } {
  const [time = '', id = '', kind] = sk.split('#');
  return { time: Number(time), id, delta: kind === RETURN ? 1 : -1 };
}
