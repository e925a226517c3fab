import type * as z from 'zod';
import { type Issue, ServiceError } from './errors.ts';

/** So that no answer grows with what was sent. */
const MAX_ISSUES = 20;
const MAX_OF_A_NAME = 100;

/** Parses what came in, and names what is wrong with it, all at once. Throws `invalid`. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.flatMap(issuesOf).slice(0, MAX_ISSUES);
  throw new ServiceError('invalid', issues.map(sentence).join('; '), issues);
}

const issuesOf = (issue: z.core.$ZodIssue): Issue[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys
        .slice(0, MAX_ISSUES)
        .map((key) => ({ path: [...issue.path, key.slice(0, MAX_OF_A_NAME)], message: 'is not a known member' }))
    : [{ path: issue.path, message: issue.message }];

const sentence = ({ path, message }: Issue) => `${path.join('.') || 'input'}: ${message}`;
