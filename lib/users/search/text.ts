import { sizes } from '../../sizes.ts';
import type { User } from '../schema.ts';

/** Longer names are found by their first words only: each is an item of the table. */
export const MAX_WORDS = 10;

/** It counts characters; the rest of a longer text is compared after it was read. A sort key has at most 1024 bytes. */
const MAX_KEY_LENGTH = 64;

/** Shorter texts would find too many users, in one partition. */
export const MIN_LENGTH = 2;

/** People type these for letters that have no decomposition. The lower case of a sigma depends on where it stands. */
const FOLDED: Record<string, string> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŋ: 'n', ŧ: 't' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ', '’': "'" },
};
const FOLDABLE = new RegExp(`[${Object.keys(FOLDED).join('')}]`, 'g');

/** Returns the same text for those that differ in case, accents, compatibility forms or spaces only (https://www.unicode.org/reports/tr15/). */
export const normalizeText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(FOLDABLE, (letter) => FOLDED[letter] ?? letter)
    .replace(/\s+/gu, ' ')
    .trim();

/** It counts characters, before anything else looks at the text: to normalize combining marks takes the square of their number. */
export const MAX_LENGTH = 256;

/** Returns why nobody can search for this text; undefined for one that can be normalized. */
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

/** A user is found by the name from each of its words on, and by the email address. */
export function listTexts({ name, email }: Pick<User, 'name' | 'email'>): string[] {
  const text = normalizeText(name);
  const starts = [...text.matchAll(WORD_START)].slice(0, MAX_WORDS);
  return [...starts.map(({ index }) => text.slice(index)), normalizeText(email)].filter(isLongEnough);
}

/** The partitions in which a search for a normalized text finds entries. */
export function listPrefixes(normalized: string): string[] {
  const characters = [...normalized].slice(0, sizes.searchPrefix);
  return characters.map((_, at) => characters.slice(0, at + 1).join('')).slice(MIN_LENGTH - 1);
}

/**
 * The texts of a user stand each in the partition of the shortest prefix that no earlier text has. So a search
 * finds one text of each user, the first that matches, because it reads no partition of the others.
 */
export function listPlaces(user: Pick<User, 'name' | 'email'>): { prefix: string; text: string }[] {
  const texts = listTexts(user).map((text) => [...text]);
  return texts.flatMap((text, at) => {
    const shared = Math.max(0, ...texts.slice(0, at).map((earlier) => countShared(text, earlier)));
    // A search that finds this text finds an earlier one.
    if (shared >= Math.min(text.length, MAX_KEY_LENGTH)) return [];
    const length = Math.min(Math.max(shared + 1, MIN_LENGTH), sizes.searchPrefix);
    return [{ prefix: text.slice(0, length).join(''), text: truncate(text.join('')) }];
  });
}

/** Counts the characters that both begin with. */
function countShared(one: string[], other: string[]): number {
  const differing = one.findIndex((character, at) => character !== other[at]);
  return differing < 0 ? one.length : differing;
}
