import type * as z from 'zod';
import { type Issue, ServiceError } from './errors.ts';

/** Bounds the answer, whatever was sent. */
const MAX_ISSUES = 20;
const MAX_NAME_LENGTH = 100;

/** Parses input and returns all validation errors together. Throws BAD_USER_INPUT. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.flatMap(toIssues).slice(0, MAX_ISSUES);
  throw new ServiceError('BAD_USER_INPUT', issues.map(toSentence).join('; '), issues);
}

const toIssues = (issue: z.core.$ZodIssue): Issue[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys
        .slice(0, MAX_ISSUES)
        .map((key) => ({ path: [...issue.path, key.slice(0, MAX_NAME_LENGTH)], message: 'is not a known member' }))
    : [{ path: issue.path, message: issue.message }];

const toSentence = ({ path, message }: Issue) => `${path.join('.') || 'input'}: ${message}`;
