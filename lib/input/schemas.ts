import * as z from 'zod/mini';
import { CONTROL, DIRECTION, NOT_VISIBLE, SEPARATOR } from './text.ts';
import { DATE_FORM, isDate, TIME_FORM, toUtc } from './time.ts';

const hasControl = matcher(`[${CONTROL}]`);
const hasControlInLine = matcher(`(?!\\n)[${CONTROL}]`);
const hasSeparator = matcher(`[${SEPARATOR}]`);
const hasDirection = matcher(`[${DIRECTION}]`);
const hasVisible = matcher(`[^${NOT_VISIBLE}]`);

function matcher(pattern: string) {
  const expression = new RegExp(pattern, 'u');
  return (text: string) => expression.test(text);
}

/** Creates a rule that stops the later rules if it fails, so that no regex runs on a text that is too long. */
export const rule = (isValid: (text: string) => boolean, error: string) =>
  z.refine<string>(isValid, { error, abort: true });

const SINGLE_LINE = [
  rule((text) => !hasControl(text), 'must not contain control characters'),
  rule((text) => !hasSeparator(text), 'must be a single line'),
];
const SEVERAL_LINES = [
  rule((text) => !hasControlInLine(text), 'must not contain control characters other than line breaks'),
  rule((text) => !hasSeparator(text), 'must not contain the separators U+2028 and U+2029; break lines with \\n'),
];

const listTextRules = (maxLength: number, lineRules = SINGLE_LINE) => [
  rule((text) => text !== '', 'must not be empty'),
  rule((text) => [...text].length <= maxLength, `must have at most ${maxLength} characters`),
  ...lineRules,
  rule((text) => !hasDirection(text), 'must not contain characters that change the direction of text'),
  rule(hasVisible, 'must have a visible character'),
  rule((text) => text.isWellFormed(), 'must be well-formed Unicode'),
];

/** Length in code points: an emoji counts once. */
export const plainText = (maxLength: number) => z.string().check(z.trim(), ...listTextRules(maxLength));

/** Windows line breaks count as one character. */
export const multilineText = (maxLength: number) =>
  z.string().check(
    z.overwrite((text) => text.replaceAll('\r\n', '\n')),
    z.trim(),
    ...listTextRules(maxLength, SEVERAL_LINES),
  );

export const exactText = (maxLength: number) => z.string().check(...listTextRules(maxLength));

export const exactMultilineText = (maxLength: number) => z.string().check(...listTextRules(maxLength, SEVERAL_LINES));

export const date = z.string().check(rule(isDate, DATE_FORM));

/** Converts the time to UTC. */
export const dateTime = z.string().check(
  rule((text) => toUtc(text) !== undefined, TIME_FORM),
  z.overwrite((text) => toUtc(text) ?? text),
);

export const idInput = z.string().check(z.toLowerCase());

/** Visible ASCII: headers and GraphQL inputs support the same keys. */
export const idempotencyKey = z
  .string()
  .check(z.regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters'));
