import { Buffer } from 'node:buffer';
import * as z from 'zod/mini';
import { isUserId } from '../../dynamodb/keys.ts';
import type { Issue } from '../../errors.ts';
import { shorten } from '../../input/parsing.ts';
import {
  date,
  dateTime,
  exactMultilineText,
  exactText,
  idInput,
  multilineText,
  plainText,
  rule,
} from '../../input/schemas.ts';
import { canonicalText } from '../../input/text.ts';
import {
  describeJsonExcess,
  type FieldDeclaration,
  type FieldValue,
  INTEGER_RANGE,
  MAX_ITEMS,
  MAX_JSON_BYTES,
  MAX_LENGTH,
  MAX_SUBJECTS,
  MAX_UNIQUE_BYTES,
  NUMBER_RANGE,
  SUBJECT,
  SUBJECT_FORM,
} from './declaration.ts';

// Separate from users/input.ts, which loads the deployed declarations: infra/ checks declarations before a deploy.

export function valueSchema({ list, ...field }: FieldDeclaration): z.ZodMiniType<FieldValue> {
  if (field.type === 'membership') return membershipsSchema(field);
  if (!list) return itemSchema(field);
  const { maxItems = field.subject ? MAX_SUBJECTS : MAX_ITEMS } = field;
  // All items of a list have the same type: the cast picks one for the compiler.
  const items = z.array(itemSchema(field)) as unknown as z.ZodMiniArray<z.ZodMiniType<string>>;
  const limited = items.check(z.maxLength(maxItems, `must have at most ${maxItems} items`));
  return field.subject ? limited.check(z.minLength(1, 'must have at least one item'), distinct) : limited;
}

function membershipsSchema({ roles, maxItems = MAX_ITEMS }: FieldDeclaration): z.ZodMiniType<FieldValue> {
  const role = roles
    ? z._default(z.enum(roles, `must be one of ${roles.join(', ')}`), roles[0] ?? '')
    : (z.optional(z.string()) as z.ZodMiniType as z.ZodMiniType<string>); // The deployment adds the default.
  const membership = z.strictObject({ id: idInput.check(rule(isUserId, 'must be the id of a group')), role });
  return z.array(membership).check(
    z.maxLength(maxItems, `must have at most ${maxItems} items`),
    z.refine((items) => new Set(items.map(({ id }) => id)).size === items.length, 'must not repeat a group'),
  );
}

const distinct = z.refine<string[]>((items) => new Set(items).size === items.length, 'must not repeat an item');

function itemSchema(field: FieldDeclaration): z.ZodMiniType<FieldValue> {
  if (field.enum) return z.literal([...field.enum], `must be one of ${field.enum.join(', ')}`);
  switch (field.type) {
    case 'string':
      return field.subject ? subjectSchema() : textSchema(field);
    case 'integer':
      return z.int().check(...listRangeChecks(field, INTEGER_RANGE));
    case 'number':
      return numberSchema(field);
    case 'boolean':
      return z.boolean();
    case 'date':
      return date;
    case 'dateTime':
      return dateTime;
    case 'json':
      return jsonSchema(field.maxBytes ?? MAX_JSON_BYTES);
    case 'membership':
      throw new Error('A membership is always in a list');
  }
}

/**
 * Trims no text with a pattern, which must match the text as sent, as the OpenAPI document says. Trims no exact text
 * either.
 */
function textSchema(field: FieldDeclaration): z.ZodMiniType<string> {
  const { maxLength = MAX_LENGTH, multiline, pattern, unique, example } = field;
  if (multiline && pattern === undefined) return multilineText(maxLength);
  const keyRules = unique ? [keyRule(unique)] : [];
  if (pattern === undefined && unique !== 'exact') return plainText(maxLength).check(...keyRules);
  const patternRules = pattern === undefined ? [] : [patternRule(pattern, example)];
  const exact = multiline ? exactMultilineText(maxLength) : exactText(maxLength);
  return exact.check(...patternRules, ...keyRules);
}

const subjectSchema = () => z.string().check(z.regex(SUBJECT, SUBJECT_FORM));

function patternRule(pattern: string, example: FieldDeclaration['example']) {
  const expression = new RegExp(pattern, 'u');
  return rule(
    (text) => expression.test(text),
    example === undefined ? `must match ${pattern}` : `must be like ${[example].flat()[0]}`,
  );
}

const keyRule = (unique: true | 'exact') =>
  unique === 'exact'
    ? rule((text) => Buffer.byteLength(text) <= MAX_UNIQUE_BYTES, `must have at most ${MAX_UNIQUE_BYTES} bytes`)
    : rule(
        (text) => Buffer.byteLength(canonicalText(text)) <= MAX_UNIQUE_BYTES,
        `must have at most ${MAX_UNIQUE_BYTES} bytes after Unicode normalization`,
      );

type Range = { minimum: number; maximum: number };

const listRangeChecks = (field: FieldDeclaration, range: Range) => {
  const { minimum = range.minimum, maximum = range.maximum } = field;
  return [z.minimum(minimum, `must be at least ${minimum}`), z.maximum(maximum, `must be at most ${maximum}`)];
};

/** DynamoDB cannot store numbers closer to 0. */
const SMALLEST_NUMBER = 1e-130;

const numberSchema = (field: FieldDeclaration) =>
  z.number().check(
    ...listRangeChecks(field, NUMBER_RANGE),
    z.refine(
      (number) => number === 0 || Math.abs(number) >= SMALLEST_NUMBER,
      `must be 0, or at least ${SMALLEST_NUMBER} away from 0`,
    ),
  );

/** Accepts null inside lists and objects, but not as the value. */
const jsonSchema = (maxBytes: number) =>
  z.unknown().check(({ value, issues }) => {
    const issue = value === null ? { path: [], message: 'must not be null' } : findJsonIssue(value, maxBytes);
    if (issue) issues.push({ ...issue, code: 'custom', input: value });
  }) as z.ZodMiniType as z.ZodMiniType<FieldValue>; // The check ensures the type.

export const MAX_JSON_DEPTH = 16;

/** Keys to reject, because copying an object with them could change its prototype. */
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];

/** Longer keys are shortened in the path of an error. */
const MAX_KEY_BYTES = 50;

const findJsonIssue = (value: unknown, maxBytes: number): Issue | undefined =>
  findContentIssue(value, []) ?? findSizeIssue(value, maxBytes);

function findSizeIssue(value: unknown, maxBytes: number): Issue | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes > maxBytes ? { path: [], message: describeJsonExcess(bytes, maxBytes) } : undefined;
}

function findContentIssue(value: unknown, path: PropertyKey[]): Issue | undefined {
  switch (typeof value) {
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { path, message: 'must be a smaller number' };
    case 'string':
      return value.isWellFormed() ? undefined : { path, message: 'must be well-formed Unicode' };
    case 'object':
      return value === null ? undefined : findMemberIssue(value, path);
    default:
      return { path, message: value === undefined ? 'is required' : 'must be a JSON value' };
  }
}

function findMemberIssue(value: object, path: PropertyKey[]): Issue | undefined {
  if (path.length === MAX_JSON_DEPTH) return { path, message: `is nested more than ${MAX_JSON_DEPTH} levels deep` };
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    const memberPath = [...path, isList ? Number(name) : shorten(name, MAX_KEY_BYTES)];
    if (!isList && FORBIDDEN_KEYS.includes(name)) return { path: memberPath, message: 'is a key that is not allowed' };
    if (!name.isWellFormed()) return { path: memberPath, message: 'must be a key of well-formed Unicode' };
    const issue = findContentIssue(member, memberPath);
    if (issue) return issue;
  }
  return undefined;
}
