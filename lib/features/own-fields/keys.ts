import type { Key } from '../../dynamodb/keys.ts';

/** The claim of a value that only one user may have: `value` is its canonical text. */
export const uniqueKey = (field: string, value: string): Key => ({ pk: `UNIQUE#${field}#${value}`, sk: 'UNIQUE' });
export const isUniqueKey = ({ pk }: Key): boolean => pk.startsWith('UNIQUE#');
