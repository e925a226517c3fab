import type * as z from 'zod/mini';
import { type Issue, invalidInputs } from '../errors.ts';
import { shorten } from './json.ts';

/** They keep the answer below 4 kB, whatever was sent. */
const MAX_ISSUES = 10;
const MAX_NAME_BYTES = 50;

/** Parses input and returns the validation errors together. Throws BAD_USER_INPUT. */
export function parseInput<Schema extends z.ZodMiniType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { error: describeIssue });
  if (result.success) return result.data;
  const issues = result.error.issues.flatMap(toIssues);
  const more = issues.slice(MAX_ISSUES).length;
  throw invalidInputs([
    ...issues.slice(0, MAX_ISSUES),
    ...(more > 0 ? [{ path: [], message: `has ${more} more issues` }] : []),
  ]);
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  object: 'an object',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
};

/** Words the issues for which a schema has no message. */
const describeIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') return 'is not a known member';
  if (issue.code !== 'invalid_type') return undefined;
  return issue.input === undefined ? 'is required' : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
};

const toIssues = (issue: z.core.$ZodIssue): Issue[] => {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ path, message }];
  return issue.keys.map((key) => ({ path: [...path, shorten(key, MAX_NAME_BYTES)], message }));
};
