import type { Key } from '../../dynamodb/keys.ts';

export const blockKey = (level: number, startAfter: string): Key => ({ pk: `PAGES#${level}`, sk: startAfter });

/** The checkpoint is stored next to the blocks of the top level, so that one query reads them together. */
export const checkpointKey: Key = { pk: 'PAGES#2', sk: 'CHECKPOINT' };

/** A key that has no id sorts before all tombstones of that time: as text, as long as milliseconds have 13 digits. */
export const tombstoneKey = (milliseconds: number, userId = ''): Key => ({
  pk: 'PAGES#TOMBSTONES',
  sk: userId ? `${milliseconds}#${userId}` : String(milliseconds),
});

export function parseTombstoneKey(sk: string): { time: number; id: string } {
  const [time = '', id = ''] = sk.split('#');
  return { time: Number(time), id };
}
