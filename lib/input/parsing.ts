import { Buffer, isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import { type Issue, invalidInput, invalidInputs, ServiceError } from '../errors.ts';
import { findJsonIssues } from './exact-json.ts';

const MAX_DEPTH = 32;
/** Matches a byte order mark, with which files from Windows may begin. Parsers may ignore it (RFC 8259 section 8.1). */
const BYTE_ORDER_MARK = /^\uFEFF/;
/** Maximum bytes of a body: more than twice the largest valid one, a mutation with document and variables. */
export const MAX_BODY_BYTES = 100_000;

type Body = Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>;

export const countBytes = ({ body = '', isBase64Encoded }: Body): number =>
  Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');

/** Throws BAD_USER_INPUT. */
export function parseJsonBody(event: Body): unknown {
  const bytes = countBytes(event);
  if (bytes > MAX_BODY_BYTES) throw invalidBody(`The body has ${bytes} bytes, which is more than ${MAX_BODY_BYTES}`);
  const text = decodeBody(event).replace(BYTE_ORDER_MARK, '');
  if (text.trim() === '') throw invalidBody('The body is empty');
  if (isDeeperThan(MAX_DEPTH, text)) throw invalidBody(`The body is nested more than ${MAX_DEPTH} levels deep`);
  const body = tryParseJson(text);
  if (body === undefined) throw invalidBody('The body is not valid JSON');
  requireExactJson(text);
  return body;
}

/** Undefined for malformed JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throws BAD_USER_INPUT. Expects valid JSON. */
export function requireExactJson(text: string): void {
  for (const { path, message } of findJsonIssues(text))
    throw invalidInput(
      path.map((name) => (typeof name === 'string' ? shorten(name, MAX_NAME_BYTES) : name)),
      message,
    );
}

/** Rejects a body that is not UTF-8 (RFC 8259 section 8.1). `toString` would replace other bytes by U+FFFD. */
function decodeBody({ body = '', isBase64Encoded }: Body): string {
  if (!isBase64Encoded) return body;
  const bytes = Buffer.from(body, 'base64');
  if (!isUtf8(bytes)) throw invalidBody('The body is not valid UTF-8');
  return bytes.toString();
}

function isDeeperThan(maxDepth: number, json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (inString && character === '\\') index++;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

const invalidBody = (message: string) => new ServiceError('BAD_USER_INPUT', message);

/**
 * Shortens to at most `maxBytes` in JSON. Long texts cost no extra time. Replaces lone surrogates, because some JSON
 * parsers reject them (RFC 8259 section 8.2).
 */
export function shorten(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - '""'.length;
    if (bytes > maxBytes) return `${text.slice(0, end).toWellFormed()}…`;
    end += character.length;
  }
  return text.toWellFormed();
}

/** Maximum issues of an error response, which stays below 5 kB unless own fields add parameters. */
const MAX_ISSUES = 10;
const MAX_NAME_BYTES = 50;

/** `describeUnknown` may return another message for a member that the schema lacks. Throws BAD_USER_INPUT. */
export function parseInput<Schema extends z.ZodMiniType>(
  schema: Schema,
  input: unknown,
  describeUnknown: (member: string) => string | undefined = () => undefined,
): z.output<Schema> {
  const result = schema.safeParse(input, { error: describeIssue });
  if (result.success) return result.data;
  const issues = result.error.issues.flatMap((issue) => toIssues(issue, describeUnknown));
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

const describeIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') return 'is not a known member';
  if (issue.code !== 'invalid_type') return undefined;
  return issue.input === undefined ? 'is required' : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
};

const toIssues = (issue: z.core.$ZodIssue, describeUnknown: (member: string) => string | undefined): Issue[] => {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ path, message }];
  return issue.keys.map((key) => ({
    path: [...path, shorten(key, MAX_NAME_BYTES)],
    message: (path.length === 0 ? describeUnknown(key) : undefined) ?? message,
  }));
};
