/**
 * Index entries are derived items that hold nothing but keys. The sort key is a text and the id of a user, or only the
 * id. No imports, because infra/ checks declarations with the limits of these keys.
 */

/** Characters of a text in a sort key, which may have 1024 bytes. Readers compare longer texts with the user. */
const MAX_TEXT_LENGTH = 64;

export const truncate = (text: string, length = MAX_TEXT_LENGTH): string => [...text].slice(0, length).join('');

/** Separates text and id. Sorts before every character of a text: "Ada" comes before "Ada King". */
const ID_SEPARATOR = '\t';
/** Sorts after the separator, and before every character of a text. */
const AFTER_SEPARATOR = '\n';

const ID_LENGTH = 36;

export const formatEntryKey = (text: string, userId: string): string => `${text}${ID_SEPARATOR}${userId}`;

export const parseEntryKey = (sk: string): { text: string; id: string } => ({
  text: sk.slice(0, -ID_LENGTH - ID_SEPARATOR.length),
  id: sk.slice(-ID_LENGTH),
});

/** Sorts before all entries with this text, and after all entries with a lower one. */
export const startOfText = (text: string): string => `${text}${ID_SEPARATOR}`;
/** Sorts after all entries with this text, and before all entries with a higher one. */
export const endOfText = (text: string): string => `${text}${AFTER_SEPARATOR}`;

/** Sorts before all sort keys. DynamoDB rejects empty keys. */
export const FIRST = ' ';
/** Sorts after all sort keys, and after all texts that begin with the text before it. */
export const END = '\u{10FFFF}';

/** Compares keys by UTF-8 bytes, like DynamoDB. */
export const compareKeys = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
