// How texts are compared. Without zod: functions that validate no input load this file.

/** `trim` removes these. Characters are spelled out, as validators differ in what `\s` and `\p` mean, or lack them. */
export const SPACE = ' \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\\t\\n\\v\\f\\r';
export const CONTROL = '\\x00-\\x1f\\x7f-\\x9f';
/** Line and paragraph separator: they end a line, as control characters do. */
export const SEPARATOR = '\u2028\u2029';

/** They change the order in which text is shown: `moc.live@nimda` can look like an address (Unicode Technical Report 36). */
export const DIRECTION = '\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069';

/** Default_Ignorable_Code_Point, annotation anchors, and characters that fonts leave blank. Emoji and scripts need some. */
const INVISIBLE = [
  '\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164',
  '\ufe00-\ufe0f\uffa0\ufff0-\ufffb',
].join('');
const INVISIBLE_BEYOND_FFFF = '\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}';

/** A schema has it in a negated class, `[^…]`: validators that compile patterns without the flag `u` reject ranges beyond U+FFFF. */
export const DESCRIBED_NOT_VISIBLE = `${SPACE}${CONTROL}${INVISIBLE}`;
export const NOT_VISIBLE = `${DESCRIBED_NOT_VISIBLE}${INVISIBLE_BEYOND_FFFF}`;

/** Returns the same text for all spellings that differ in case or in composed characters only: NFC, in one case. */
export const canonicalText = (text: string): string => foldCase(text.normalize('NFC')).normalize('NFC');

/**
 * Letter by letter, as the lower case of a sigma depends on the letters around it. Letters with one upper case are equal,
 * such as σ and ς; but ß and ı keep apart, whose upper case is that of other letters (simple case folding of Unicode).
 */
const foldCase = (text: string): string =>
  Array.from(text, (letter) => {
    const upper = letter.toUpperCase();
    return letter === 'ı' || [...upper].length > 1 ? letter.toLowerCase() : upper.toLowerCase();
  }).join('');

/** A pattern of a text that is trimmed before it must match this one. */
export const surroundWithSpace = (pattern: string): string => `^[${SPACE}]*${pattern}[${SPACE}]*$`;

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
