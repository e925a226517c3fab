import * as z from 'zod/mini';

/** `trim` removes these. Characters are spelled out, as validators differ in what `\s` and `\p` mean, or lack them. */
export const SPACE = ' \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\\t\\n\\v\\f\\r';
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f';
/** Line and paragraph separator: they end a line, as control characters do. */
const SEPARATOR = '\u2028\u2029';

/** They change the order in which text is shown: `moc.live@nimda` can look like an address (Unicode Technical Report 36). */
const DIRECTION = '\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069';

/** Default_Ignorable_Code_Point, annotation anchors, and characters that fonts leave blank. Emoji and scripts need some. */
const INVISIBLE = [
  '\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164',
  '\ufe00-\ufe0f\uffa0\ufff0-\ufffb',
].join('');
const INVISIBLE_BEYOND_FFFF = '\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}';

/** A schema has it in a negated class, `[^…]`: validators that compile patterns without the flag `u` reject ranges beyond U+FFFF. */
export const DESCRIBED_NOT_VISIBLE = `${SPACE}${CONTROL}${INVISIBLE}`;
export const NOT_VISIBLE = `${DESCRIBED_NOT_VISIBLE}${INVISIBLE_BEYOND_FFFF}`;

const hasControl = matcher(`[${CONTROL}]`);
const hasSeparator = matcher(`[${SEPARATOR}]`);
const hasDirection = matcher(`[${DIRECTION}]`);
const hasVisible = matcher(`[^${NOT_VISIBLE}]`);

function matcher(pattern: string) {
  const expression = new RegExp(pattern, 'u');
  return (text: string) => expression.test(text);
}

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

/** The first fault is told, and nothing looks at a text after it: what is long is only measured. */
export const rule = (isValid: (text: string) => boolean, error: string) =>
  z.refine<string>(isValid, { error, abort: true });

const listTextRules = (maxLength: number) => [
  rule((text) => text !== '', 'must not be empty'),
  rule((text) => [...text].length <= maxLength, `must have at most ${maxLength} characters`),
  rule((text) => !hasControl(text), 'must not contain control characters'),
  rule((text) => !hasSeparator(text), 'must be a single line'),
  rule((text) => !hasDirection(text), 'must not contain characters that change the direction of text'),
  rule(hasVisible, 'must have a visible character'),
  rule((text) => text.isWellFormed(), 'must be well-formed Unicode'),
];

/** One line of visible text, trimmed. Its length is counted in code points, so that an emoji counts once. */
export const plainText = (maxLength: number) => z.string().check(z.trim(), ...listTextRules(maxLength));

/** Plain text that is kept as it was sent. */
export const exactText = (maxLength: number) => z.string().check(...listTextRules(maxLength));

/** The JSON Schema describes what is sent, before it is trimmed. */
export function describePlainText(maxLength: number) {
  const [inner, edge] = [`[^${CONTROL}${SEPARATOR}${DIRECTION}]`, `[^${SPACE}${CONTROL}${DIRECTION}]`];
  const trimmed = maxLength === 1 ? edge : `${edge}(${inner}{0,${maxLength - 2}}${edge})?`;
  return { pattern: surroundWithSpace(trimmed), allOf: [{ pattern: `[^${DESCRIBED_NOT_VISIBLE}]` }] };
}

export const describeExactText = (maxLength: number, pattern: string) => ({
  pattern,
  allOf: [
    { pattern: `^[^${CONTROL}${SEPARATOR}${DIRECTION}]{1,${maxLength}}$` },
    { pattern: `[^${DESCRIBED_NOT_VISIBLE}]` },
  ],
});

/** A pattern of a text that is trimmed before it must match this one. */
export const surroundWithSpace = (pattern: string): string => `^[${SPACE}]*${pattern}[${SPACE}]*$`;
