import * as z from 'zod';
import { MAX_FIELD_WORDS } from '../../lib/features/search/text.ts';
import { findJsonIssues } from '../../lib/input/exact-json.ts';
import { CONTROL, DIRECTION, SEPARATOR, SPACE } from '../../lib/input/text.ts';
import {
  type FieldValue,
  MAX_FILTER_LENGTH,
  MAX_ITEMS,
  MAX_JSON_BYTES,
  MAX_LENGTH,
} from '../../lib/users/fields/declaration.ts';
import { type FieldDeclarations, findIssues, findNameIssues, MAX_USER_CHARACTERS, NAME } from './rules.ts';

/** Only editors check this pattern. rules.ts checks names with clearer messages. */
const name = z.string().meta({ pattern: NAME.source });
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const value = z.union([scalar, z.array(z.unknown()), z.record(z.string(), z.unknown())]) as z.ZodType<FieldValue>; // JSON has no other values.
const MAX_LABEL_LENGTH = 60;
const [inner, edge] = [`[^${CONTROL}${SEPARATOR}${DIRECTION}]`, `[^${SPACE}${CONTROL}${DIRECTION}]`];
const LABEL = new RegExp(`^${edge}(${inner}{0,${MAX_LABEL_LENGTH - 2}}${edge})?$`, 'u');
/** Editors check only the length, because the pattern contains invisible characters. */
const label = z
  .string()
  .refine((text) => LABEL.test(text))
  .meta({ minLength: 1, maxLength: MAX_LABEL_LENGTH });
const maxWords = z.int().min(1).max(MAX_FIELD_WORDS);
const size = z.int().min(1).max(MAX_USER_CHARACTERS);

/** Editors and error messages show the descriptions. */
const members = {
  type: z.enum(['string', 'integer', 'number', 'boolean', 'date', 'dateTime', 'json']).meta({
    description:
      'string, integer (32 bits), number, boolean, date (2026-11-22), dateTime (2026-11-22T12:00:00Z) or json (any JSON value)',
  }),
  list: z.exactOptional(z.boolean()).meta({ description: 'true for a list of values of this type, or false' }),
  maxLength: z.exactOptional(size).meta({
    description: `maximum characters (code points) of a string, from 1 to ${MAX_USER_CHARACTERS}; ${MAX_LENGTH} by default, or ${MAX_FILTER_LENGTH} with filter`,
  }),
  multiline: z
    .exactOptional(z.boolean())
    .meta({ description: 'true to allow line breaks in the string, stored as \\n, or false' }),
  maxBytes: z.exactOptional(size).meta({
    description: `maximum bytes of a json value, as JSON in UTF-8, from 1 to ${MAX_USER_CHARACTERS}; ${MAX_JSON_BYTES} by default`,
  }),
  minimum: z.exactOptional(z.number()).meta({ description: 'the smallest allowed integer or number' }),
  maximum: z.exactOptional(z.number()).meta({ description: 'the largest allowed integer or number' }),
  pattern: z
    .exactOptional(z.string().min(1))
    .meta({ description: 'a regular expression that a string must match, such as ^[A-Z]{2}$' }),
  enum: z
    .exactOptional(z.array(scalar).min(1))
    .meta({ description: 'a list of the allowed strings, integers or numbers' }),
  maxItems: z.exactOptional(size).meta({
    description: `maximum values of a list, from 1 to ${MAX_USER_CHARACTERS}; ${MAX_ITEMS} by default`,
  }),
  required: z.exactOptional(z.boolean()).meta({
    description: 'true if POST and PUT require a value and PATCH must not clear it, or false',
  }),
  default: z
    .exactOptional(value)
    .meta({ description: 'a value of the type that readers see for users without one; it is not stored' }),
  unique: z.exactOptional(z.union([z.boolean(), z.literal('exact')])).meta({
    description:
      'true if no two users may have the same value, ignoring case; exact to compare strings as sent; or false',
  }),
  search: z.exactOptional(z.union([z.boolean(), z.strictObject({ maxWords })])).meta({
    description: `true if a search finds users by the string, { "maxWords": 4 } for its first words (1 to ${MAX_FIELD_WORDS}), or false`,
  }),
  filter: z.exactOptional(z.boolean()).meta({ description: 'true if lists can be filtered by the value, or false' }),
  sort: z.exactOptional(z.boolean()).meta({ description: 'true if lists can be sorted by the value, or false' }),
  label: z.exactOptional(label).meta({
    description: `the name of the field in the console and its title in the OpenAPI document: a line of 1 to ${MAX_LABEL_LENGTH} characters`,
  }),
  group: z.exactOptional(label).meta({
    description: `the heading of the group of this field in the console: a line of 1 to ${MAX_LABEL_LENGTH} characters`,
  }),
  subject: z.exactOptional(z.boolean()).meta({
    description:
      'true if the string, or each item of the list, is the token claim that identifies the person, for own records; or false',
  }),
  signIn: z.exactOptional(z.boolean()).meta({
    description: "true if the dateTime is the time of the person's last sign-in; or false",
  }),
  blocks: z.exactOptional(z.array(scalar).min(1)).meta({
    description: 'a list of values of the enum: people with one of them cannot use their own record',
  }),
  self: z.exactOptional(z.enum(['hidden', 'read', 'write'])).meta({
    description: 'hidden, read or write: what people may do with the field in their own record',
  }),
  groupAdmin: z.exactOptional(z.enum(['hidden', 'read', 'write'])).meta({
    description: 'hidden, read or write: what administrators of a group may do with the field of a member',
  }),
  description: z.exactOptional(z.string().min(1)).meta({ description: 'a text for the API documentation' }),
  deprecated: z
    .exactOptional(z.string().min(1))
    .meta({ description: 'a text that says what to use instead; the field will be removed' }),
  example: z.exactOptional(value).meta({ description: 'a value for the API documentation' }),
};

const namedDeclarations = z.record(name, z.strictObject(members)).check(({ value, issues }) => {
  for (const message of findIssues(value)) issues.push({ code: 'custom', message, input: value });
});

/** All declarations by name, in display order. Also accepts JSON text, which the command line passes. */
export const fieldDeclarations = z.preprocess((declared, { issues }) => {
  const value = parseJson(declared);
  if (typeof declared === 'string' && value !== declared)
    for (const { path, message } of findJsonIssues(declared))
      issues.push({ code: 'custom', message: `The member ${path.join('.')} ${message}.`, input: value });
  // z.record would drop the key `__proto__` without an error.
  if (Object.hasOwn(Object(value), '__proto__'))
    for (const message of findNameIssues('__proto__')) issues.push({ code: 'custom', message, input: value });
  return value;
}, namedDeclarations);

/** Returns other values, and text that is not JSON, unchanged. */
function parseJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The message has one line per issue. */
export class FieldsError extends Error {
  override name = 'FieldsError';
}

/** Throws FieldsError. */
export function readFields(declared: unknown): FieldDeclarations {
  const result = fieldDeclarations.safeParse(declared);
  if (result.success) return result.data;
  throw new FieldsError(listIssues(declared).join('\n'));
}

export const listIssues = (declared: unknown): string[] =>
  fieldDeclarations.safeParse(declared).error?.issues.map((issue) => describeIssue(issue, parseJson(declared))) ?? [];

function describeIssue({ path, ...issue }: z.core.$ZodIssue, declared: unknown): string {
  if (issue.code === 'custom' && path.length === 0) return issue.message;
  const [name, member] = path.map(String);
  if (issue.code === 'unrecognized_keys')
    return `The field ${name} has the unknown member ${issue.keys.join(', ')}; the members are ${Object.keys(members).join(', ')}.`;
  const found = [name, member].reduce(findMember, declared);
  const setting = ['fields', name, member].filter(Boolean).join('.');
  const description = members[member as keyof typeof members]?.meta()?.description;
  const expected = description ?? (name ? 'an object with a type' : 'an object with a declaration for each name');
  return `The setting ${setting} is ${JSON.stringify(found) ?? 'missing'}; expected: ${expected}.`;
}

const findMember = (value: unknown, name: string | undefined): unknown =>
  name === undefined ? value : Object.entries(Object(value)).find(([key]) => key === name)?.[1];
