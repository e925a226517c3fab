import type * as z from 'zod';
import { type Issue, ServiceError } from './errors.ts';

/** Parses what came in, and names all that is wrong with it at once. Throws `invalid`. */
export function parsed<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.flatMap(issuesOf);
  throw new ServiceError('invalid', issues.map(sentence).join('; '), issues);
}

const issuesOf = (issue: z.core.$ZodIssue): Issue[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is not a known member' }))
    : [{ path: issue.path, message: issue.message }];

const sentence = ({ path, message }: Issue) => `${path.join('.') || 'input'}: ${message}`;
