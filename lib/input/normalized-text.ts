/** People type these for letters that have no decomposition. The lower case of a sigma depends on where it stands. */
const FOLDED: Record<string, string> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŋ: 'n', ŧ: 't' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ', '’': "'" },
};
const FOLDABLE = new RegExp(`[${Object.keys(FOLDED).join('')}]`, 'g');

/**
 * Search and sort keys contain normalized texts. Raise this with every change of `normalizeText`, so that the backfill
 * writes the keys of existing users again.
 */
export const TEXT_VERSION = 1;

/** Returns the same text for those that differ in case, accents, compatibility forms or spaces only (https://www.unicode.org/reports/tr15/). */
export const normalizeText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(FOLDABLE, (letter) => FOLDED[letter] ?? letter)
    .replace(/\s+/gu, ' ')
    .trim();
