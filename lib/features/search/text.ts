import { dropIgnorable, normalizeText } from '../../input/text.ts';
import { MAX_ITEMS, MAX_LENGTH, type OwnField, type Scalar } from '../../users/fields/declaration.ts';

/** Minimum length of a searched text: shorter ones would match too many users. */
export const MIN_LENGTH = 2;

/**
 * A Chinese, Japanese or Korean character, which is as selective as two letters. Normalized Hangul does not match,
 * because NFKD splits a syllable into two or three letters: one syllable reaches MIN_LENGTH anyway.
 */
const CJK = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}가-힣]';
const STARTS_WITH_CJK = new RegExp(`^${CJK}`, 'u');

export const startsWithCjk = (text: string): boolean => STARTS_WITH_CJK.test(text);

export const findMinLength = (text: string): number => (startsWithCjk(text) ? 1 : MIN_LENGTH);

export const isLongEnough = (text: string): boolean => [...text].length >= findMinLength(text);

/** Replaces letters of German and Nordic names, which are also spelled with two letters. */
const SPELLED_OUT: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

const APOSTROPHES = /[‘’ʼʻ`´＇]/gu;

/**
 * Returns the text in lower case, composed, without invisible characters and the `(0)` of phone numbers. Adds a second
 * spelling if `SPELLED_OUT` changes it.
 */
export function listSpellings(text: string): string[] {
  const typed = dropIgnorable(text).replace(APOSTROPHES, "'").replaceAll('(0)', ' ');
  const composed = typed.normalize('NFKC').toLowerCase();
  return [...new Set([composed, composed.replace(/[äöüøå]/g, (letter) => SPELLED_OUT[letter] ?? letter)])];
}

export type Word = { text: string; kind?: 'number' | 'cjk' };

/** `endings`: parts that people also search for, such as `brien` in `O'Brien`. */
type WordWithEndings = Word & { endings: Word[] };

const NUMBER = /^\p{Nd}+$/u;
const CJK_WORD = new RegExp(`^${CJK}(?:${CJK}|ー)*$`, 'u');

function createWord(composed: string): Word {
  const text = normalizeText(composed);
  if (NUMBER.test(composed)) return { text, kind: 'number' };
  return CJK_WORD.test(composed) ? { text, kind: 'cjk' } : { text };
}

/** Matches words. An address is one word. */
const WORD = /[^\s<>()[\]",;:]+@[^\s<>()[\]",;:]+|(?:[^\s\p{P}\p{Sm}\p{Sk}\p{Cc}]|(?<=\p{L})'(?=\p{L}))+/gu;

export function splitWords(spelling: string, maxWords: number): WordWithEndings[] {
  const found = [...spelling.matchAll(WORD)].slice(0, maxWords);
  return found.map(({ 0: composed, index }) => {
    if (composed.includes('@')) return { ...createWord(composed), endings: [] };
    const parts = composed.split("'");
    const isInternational = spelling[index - 1] === '+' || composed.startsWith('00');
    const national = isInternational ? PHONE_NUMBER.exec(composed)?.groups?.national : undefined;
    const endings = [...parts.map((_, at) => parts.slice(at).join('')).slice(1), ...(national ? [national] : [])];
    return { ...createWord(parts.join('')), endings: endings.map(createWord) };
  });
}

/** https://www.itu.int/rec/T-REC-E.164. Lists country codes of one and two digits. All others have three. */
const PHONE_NUMBER =
  /^(?:00)?(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d)(?<national>\d{6,})$/;

export function joinWords(words: readonly Word[]): string {
  const parts = words.map(({ text, kind }, at) => {
    const isGlued = at === 0 || (kind !== undefined && kind === words[at - 1]?.kind);
    return isGlued ? text : ` ${text}`;
  });
  return parts.join('');
}

/**
 * Joins the words from `at` on, then the words before: `lovelace ada` for word 1 of `Ada Lovelace`. `start` replaces
 * word `at`.
 */
const joinFrom = (words: readonly Word[], at: number, start: Word): string =>
  joinWords([start, ...words.slice(at + 1), ...words.slice(0, at)]);

type StoredTexts = {
  words: string[];
  others: string[];
  /** Words that are too short to find users, but filter users found by other words. */
  short: string[];
};

export function listStoredTexts(text: string, maxWords: number): StoredTexts {
  const [plain = [], ...respelled] = listSpellings(text).map((spelling) => splitWords(spelling, maxWords));
  // Index even a short first word. The text continues with the next words, so a search for initials finds it.
  const isIndexed = (word: Word, at: number) => at === 0 || isLongEnough(word.text);
  const textsOf = (words: WordWithEndings[]) => ({
    starts: words.flatMap((word, at) => (isIndexed(word, at) ? joinFrom(words, at, word) : [])),
    endings: words.flatMap(({ endings }, at) =>
      endings.filter((ending) => isLongEnough(ending.text)).map((ending) => joinFrom(words, at, ending)),
    ),
  });
  const { starts, endings } = textsOf(plain);
  const ofOtherSpellings = respelled.map(textsOf).flatMap((texts) => [...texts.starts, ...texts.endings]);
  return {
    words: starts,
    others: [...endings, ...ofOtherSpellings],
    short: plain.filter((word, at) => !isIndexed(word, at)).map((word) => word.text),
  };
}

/** Characters of the longest Chinese, Japanese or Korean family name. */
const MAX_FAMILY_NAME = 3;

/**
 * Returns texts that begin with a possible given name: the second, third or fourth character of the name. No space
 * separates family name and given name.
 */
export function listGivenNameTexts(name: string, maxWords: number): string[] {
  const [composed = ''] = listSpellings(name);
  const words = splitWords(composed, maxWords);
  const [only, ...others] = [...composed.matchAll(CJK_RUN)];
  const at = words.findIndex(({ kind }) => kind === 'cjk');
  if (!only || others.length > 0 || at < 0) return [];
  const characters = [...only[0]];
  const endings = characters.map((_, start) => characters.slice(start).join('')).slice(1, 1 + MAX_FAMILY_NAME);
  return endings.filter(startsWithCjk).map((ending) => joinFrom(words, at, createWord(ending)));
}

const CJK_RUN = new RegExp(`(?:${CJK}|ー)+`, 'gu');

/** Lists the texts of an address. `@` distinguishes its domain from names. */
export function listAddressTexts(email: string): [address: string, domain: string] {
  const address = normalizeText(email);
  return [address, `@${address.split('@').at(-1)}`];
}

/** Maximum texts of a name. Each text is an item in the table. */
export const MAX_NAME_TEXTS = 10;

export const ADDRESS_TEXTS = 2;

/** Maximum of `maxWords`. */
export const MAX_FIELD_WORDS = 20;

/**
 * Maximum texts of a search field's values. Words need a character between them, and umlauts add a second spelling.
 * Compatibility characters such as `⒑⒒` hold more words, and their further texts are dropped.
 */
export function countTexts({ list, maxItems = MAX_ITEMS, maxLength = MAX_LENGTH, enum: values }: OwnField): number {
  const ofValue = values ? Math.max(...values.map(countStoredTexts)) : 2 * Math.ceil(maxLength / 2);
  return (list ? maxItems : 1) * ofValue;
}

function countStoredTexts(value: Scalar): number {
  const { words, others } = listStoredTexts(`${value}`, MAX_FIELD_WORDS);
  return words.length + others.length;
}
