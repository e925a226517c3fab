import { normalizeText } from '../../input/normalized-text.ts';
import type { KeyCount } from '../../users/derived-keys.ts';
import type { OwnField } from '../../users/fields/declaration.ts';

/** Shorter texts would find too many users, in one partition. */
const MIN_LENGTH = 2;

/**
 * One of these characters is a word or a syllable, of which there are many: it tells as much as two letters. A normalized
 * text has none of the syllables of Hangul, as NFKD makes two letters or more of each.
 */
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}가-힣]/u;

/** Returns the length of the shortest beginning of a text by which users are found. */
export const findMinLength = (text: string): number => (IDEOGRAPH.test(text) ? 1 : MIN_LENGTH);

/** A text has so many characters at most, counted before anything else looks at it: normalizing combining marks takes the square of their number. */
export const MAX_LENGTH = 256;

/** Returns why nobody can search for this text; undefined for one that can be normalized. */
export function findIssue(text: string): string | undefined {
  if ([...text].length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  const isTooShort = !isLongEnough(text.trim()) || !isLongEnough(normalizeText(text));
  return isTooShort ? `must have at least ${MIN_LENGTH} characters` : undefined;
}

export const isLongEnough = (text: string): boolean => [...text].length >= findMinLength(text);

/** Longer names are found by their first words only: each is an item of the table. */
export const MAX_WORDS = 10;

/** Words of all search fields of a user together that are indexed. */
export const MAX_FIELD_WORDS = 20;

/** Counts the keys of search entries that a user can have under declared fields. */
export function countSearchKeys(fields: readonly OwnField[]): KeyCount[] {
  const names = fields.filter(({ search }) => search).map(({ name }) => name);
  return [
    { count: MAX_WORDS, source: 'the words of the name' },
    { count: 1, source: 'the search for the address' },
    { count: names.length > 0 ? MAX_FIELD_WORDS : 0, source: `the words of the search fields ${names.join(', ')}` },
  ];
}

/** A word starts after a space, and inside of a word after a character such as a hyphen. */
const WORD_START = /(?<!\S)\S|(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu;

/** Returns the normalized text from each of its words on. */
export function listWords(typed: string): string[] {
  const text = normalizeText(typed);
  const starts = [...text.matchAll(WORD_START)].slice(0, MAX_WORDS);
  return starts.map(({ index }) => text.slice(index));
}
