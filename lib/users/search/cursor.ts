import { isUserId, parseSearchKey, searchSortKey } from '../../dynamodb/keys.ts';
import { truncate } from './text.ts';

/** Where an entry stands in the index. */
export type Position = { text: string; id: string };

export const encodeCursor = ({ text, id }: Position): string =>
  Buffer.from(searchSortKey(text, id)).toString('base64url');

/** A text of 64 characters, a tab and an id in Base64. Others would be decoded in vain. */
const MAX_LENGTH = 400;

/** Undefined for what is no cursor of this search. */
export function decodeCursor(normalized: string, cursor: string): Position | undefined {
  if (cursor.length > MAX_LENGTH) return undefined;
  const position = parseSearchKey(Buffer.from(cursor, 'base64url').toString());
  // Keys hold truncated texts; a longer one can exceed DynamoDB's key size.
  const isKey = truncate(position.text) === position.text;
  const isValid = isUserId(position.id) && isKey && position.text.startsWith(truncate(normalized));
  return isValid && encodeCursor(position) === cursor ? position : undefined;
}
