// Functions without input validation use this file, so it must not import zod.

/** Characters that `trim` removes. Spelled out, because validators differ in their support of `\s` and `\p`. */
export const SPACE = ' \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\\t\\n\\v\\f\\r';
export const CONTROL = '\\x00-\\x1f\\x7f-\\x9f';
export const SEPARATOR = '\u2028\u2029';

/**
 * Characters that change the display order: `moc.live@nimda` can look like an address (Unicode Technical Report 36).
 */
export const DIRECTION = '\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069';

/**
 * Unicode's Default_Ignorable_Code_Point, annotation anchors, and blank characters. Texts may contain them beside
 * visible characters, because emoji and some scripts need them.
 */
const INVISIBLE = [
  '\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164',
  '\ufe00-\ufe0f\uffa0\ufff0-\ufffb',
].join('');
const INVISIBLE_BEYOND_FFFF = '\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}';

/** Omits ranges beyond U+FFFF for JSON Schema, because validators without the regex flag `u` reject them. */
export const DESCRIBED_NOT_VISIBLE = `${SPACE}${CONTROL}${INVISIBLE}`;
export const NOT_VISIBLE = `${DESCRIBED_NOT_VISIBLE}${INVISIBLE_BEYOND_FFFF}`;

/** Includes U+FEFF, an invisible character that `trim` removes. */
const IGNORABLE = `[\ufeff${INVISIBLE}${INVISIBLE_BEYOND_FFFF}]`;
const EACH_IGNORABLE = new RegExp(IGNORABLE, 'gu');
const STARTS_IGNORABLE = new RegExp(`^${IGNORABLE}`, 'u');
const ENDS_IGNORABLE = new RegExp(`${IGNORABLE}$`, 'u');

/** For keys: texts that look alike must not differ in invisible characters. Stored texts keep them. */
export const dropIgnorable = (text: string): string => text.replace(EACH_IGNORABLE, '');

export function canonicalText(text: string): string {
  const typed = text.trim();
  const shown = dropIgnorable(text);
  // An invisible character at an end has kept the space beside it from being trimmed.
  const started = STARTS_IGNORABLE.test(typed) ? shown.trimStart() : shown;
  const ended = ENDS_IGNORABLE.test(typed) ? started.trimEnd() : started;
  return foldCase(ended.normalize('NFC')).normalize('NFC');
}

/**
 * Simple case folding of Unicode, letter by letter, because the lower case of a sigma depends on its neighbours. The
 * upper case of ß and ı belongs to other letters.
 */
const foldCase = (text: string): string =>
  Array.from(text, (letter) => {
    const upper = letter.toUpperCase();
    return letter === 'ı' || [...upper].length > 1 ? letter.toLowerCase() : upper.toLowerCase();
  }).join('');

/** Replaces letters without a Unicode decomposition by the letters that people type for them. */
const FOLDED: Record<string, string> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŋ: 'n', ŧ: 't' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ', '’': "'" },
};
const FOLDABLE = new RegExp(`[${Object.keys(FOLDED).join('')}]`, 'g');

/** Increment with every change of keys in this file: the backfill then rewrites the keys of existing users. */
export const TEXT_VERSION = 2;

/**
 * Ignores case, accents, compatibility forms, spaces (https://www.unicode.org/reports/tr15/) and invisible characters.
 */
export const normalizeText = (text: string): string =>
  dropIgnorable(text)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(FOLDABLE, (letter) => FOLDED[letter] ?? letter)
    .replace(/\s+/gu, ' ')
    .trim();
