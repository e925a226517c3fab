import type { Key } from '../../dynamodb/keys.ts';

/** A tab sorts before every character of a name, so that "Ada" comes before "Ada King". */
const ID_SEPARATOR = '\t';

/** A key that has no id is the beginning of the sort keys of all entries whose text begins with this one. */
export const searchSortKey = (text: string, userId?: string): string =>
  userId === undefined ? text : `${text}${ID_SEPARATOR}${userId}`;

export const searchKey = (prefix: string, text: string, userId?: string): Key => ({
  pk: `SEARCH#${prefix}`,
  sk: searchSortKey(text, userId),
});

export function parseSearchKey(sk: string): { text: string; id: string } {
  const [text = '', id = ''] = sk.split(ID_SEPARATOR);
  return { text, id };
}

export const isSearchKey = ({ pk }: Key): boolean => pk.startsWith('SEARCH#');
