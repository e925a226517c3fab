import type { User } from '../schema.ts';

/** Longer names are found by their first words only: each is an item of the table. */
export const MAX_WORDS = 10;

/** In characters; the rest of a longer text is compared after it was read. A sort key has at most 1024 bytes. */
const MAX_KEY_LENGTH = 64;

/** Shorter texts would put too many users into one partition. */
export const MIN_LENGTH = 2;

/** What people type for letters that have no decomposition. The lower case of a sigma depends on where it stands. */
const FOLDED: Record<string, string> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŋ: 'n', ŧ: 't' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ', '’': "'" },
};
const FOLDABLE = new RegExp(`[${Object.keys(FOLDED).join('')}]`, 'g');

/** Equal for texts that differ in case, accents, compatibility forms or spaces only (https://www.unicode.org/reports/tr15/). */
export const normalizeText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(FOLDABLE, (letter) => FOLDED[letter] ?? letter)
    .replace(/\s+/gu, ' ')
    .trim();

/** In characters, and before anything else looks at the text: to normalize combining marks takes the square of their number. */
export const MAX_LENGTH = 256;

/** Why nobody can search for this text; undefined for one that can be normalized. */
export function findIssue(text: string): string | undefined {
  if ([...text].length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  const isTooShort = !isLongEnough(text.trim()) || !isLongEnough(normalizeText(text));
  return isTooShort ? `must have at least ${MIN_LENGTH} characters` : undefined;
}

const isLongEnough = (text: string): boolean => [...text].length >= MIN_LENGTH;

/** The part of a normalized text that keys hold. */
export const truncate = (text: string): string => [...text].slice(0, MAX_KEY_LENGTH).join('');

/** A word starts after a space, and inside of a word after a character such as a hyphen. */
const WORD_START = /(?<!\S)\S|(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu;

/** What a user is found by: the name from each of its words on, and the email address. */
export function listTexts({ name, email }: Pick<User, 'name' | 'email'>): string[] {
  const text = normalizeText(name);
  const starts = [...text.matchAll(WORD_START)].slice(0, MAX_WORDS);
  return [...starts.map(({ index }) => text.slice(index)), normalizeText(email)].filter(isLongEnough);
}
