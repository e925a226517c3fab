import type { Key } from '../../dynamodb/keys.ts';

export const blockKey = (level: number, startAfter: string): Key => ({ pk: `PAGES#${level}`, sk: startAfter });

/** Shares the partition of the top-level blocks, so that one query reads both. */
export const checkpointKey: Key = { pk: 'PAGES#2', sk: 'CHECKPOINT' };

const ADJUSTMENTS = 'PAGES#ADJUSTMENTS';
const RETURN = 'RETURN';

/** Sorts before all adjustments of this time. Text order works while milliseconds have 13 digits. */
export const firstAdjustmentKey = (milliseconds: number): Key => ({ pk: ADJUSTMENTS, sk: String(milliseconds) });

/** `version`: of the change, so that a user's adjustments have distinct keys, whatever the clocks of their writers. */
export const tombstoneKey = (milliseconds: number, userId: string, version: number): Key => ({
  pk: ADJUSTMENTS,
  sk: `${milliseconds}#${userId}#${version}`,
});

export const returnKey = (milliseconds: number, userId: string, version: number): Key => ({
  pk: ADJUSTMENTS,
  sk: `${milliseconds}#${userId}#${version}#${RETURN}`,
});

export function parseAdjustmentKey(sk: string): { time: number; id: string; version: number; delta: 1 | -1 } {
  const [time = '', id = '', version = '', kind] = sk.split('#');
  return { time: Number(time), id, version: Number(version), delta: kind === RETURN ? 1 : -1 };
}
