import { type IncomingMessage, ServerResponse } from 'node:http';
import { getOperationAST, parse } from 'graphql';
import * as z from 'zod/mini';
import { isUserId } from '../../lib/dynamodb/keys.ts';
import { splitUrl } from '../../lib/http-event.ts';
import { responseFormats } from '../../lib/rest/responses.ts';

/** Contains only what logs may contain. */
export type ServedRequest = {
  by: 'function' | 'page' | 'gateway';
  method: string;
  path: string;
  operation?: string | undefined;
  status: number;
  ms: number;
  used?: string | undefined;
  reason?: string | undefined;
};

const errorBody = z.object({
  error: z.optional(z.string()),
  message: z.optional(z.string()),
  issues: z.optional(z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }))),
  errors: z.optional(
    z.array(
      z.object({ message: z.string(), extensions: z.object({ code: z.string(), reason: z.optional(z.string()) }) }),
    ),
  ),
});
type ErrorBody = z.infer<typeof errorBody>;

const MAX_KEPT = 10_000;

/** Keeps the start of the body, which contains an error's reason. */
export class RecordedResponse extends ServerResponse {
  operation: string | undefined;
  #body = '';

  override write(...args: unknown[]): boolean {
    this.#keep(args[0]);
    return super.write(...(args as Parameters<ServerResponse['write']>)); // Same arguments, whichever overload.
  }

  override end(...args: unknown[]): this {
    this.#keep(args[0]);
    return super.end(...(args as Parameters<ServerResponse['end']>));
  }

  #keep(chunk: unknown): void {
    const isText = typeof chunk === 'string' || Buffer.isBuffer(chunk);
    if (isText && this.#body.length < MAX_KEPT) this.#body += chunk.toString().slice(0, MAX_KEPT);
  }

  /** The reason lacks values from the request, which may be personal. */
  findReason(): string | undefined {
    // GraphQL responses with errors have status 200.
    if (this.statusCode < 400 && !this.#body.startsWith('{"errors"')) return undefined;
    try {
      return describeReason(errorBody.parse(JSON.parse(this.#body)));
    } catch {
      return /"code":"(\w+)"/.exec(this.#body)?.[1];
    }
  }
}

function describeReason({ error, message, issues, errors: [first] = [] }: ErrorBody): string | undefined {
  // Hides unusual names, because the path of an unknown member is user input.
  if (issues) return issues.map(({ path, message }) => `${describeMember(path)}: ${message}`).join('; ');
  if (!first) return error ?? message;
  // graphql-js repeats input values in messages. The service's own errors have a reason.
  const { code, reason } = first.extensions;
  return reason ? first.message : code;
}

const describeMember = (path: (string | number)[]): string =>
  path.map((name) => (PLAIN_NAME.test(String(name)) ? name : '…')).join('.') || 'input';

/** Reads the header Server-Timing, such as `db;desc="1 request, 0.5 RCU"`. */
export const readUsage = (response: ServerResponse): string | undefined =>
  /db;desc="([^"]*)"/.exec(String(response.getHeader('server-timing')))?.[1];

/** Values that logs may contain: numbers, ids, and the order of a list. The cursor of a search contains its words. */
const IMPERSONAL = /^(\d{1,20}|asc|desc|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/;
const PLAIN_NAME = /^\w{1,50}$/;

/** Replaces possible names and addresses by `…`. */
export function describePath(request: IncomingMessage, by: ServedRequest['by']): string {
  const [path, query] = splitUrl(request);
  const shown = by === 'page' ? path : hidePersonal(path);
  return query ? `${shown}?${query.split('&').map(describeParameter).join('&')}` : shown;
}

function hidePersonal(path: string): string {
  const format = responseFormats.find((format) => path.startsWith(`${format.path}/`));
  if (format) return isUserId(path.slice(format.path.length + 1)) ? path : `${format.path}/…`;
  if (responseFormats.some((format) => path === format.path)) return path;
  const [, first = '', ...others] = path.split('/', 3);
  const segment = first === '' || PLAIN_NAME.test(first) ? first : '…';
  return `/${segment}${others.length > 0 ? '/…' : ''}`;
}

function describeParameter(parameter: string): string {
  const [name = '', value] = parameter.split('=', 2);
  if (value === undefined) return '…';
  return `${PLAIN_NAME.test(name) ? name : '…'}=${IMPERSONAL.test(value) ? value : '…'}`;
}

/** Maximum bytes of a body that is parsed for the log: the API's limit of a document, plus room for variables. */
const MAX_DOCUMENT = 100_000;

const graphqlBody = z.object({ query: z.string(), operationName: z.nullish(z.string()) });

/** Returns text such as `mutation CreateUser` or `query`, or undefined if the body cannot be parsed. */
export function describeOperation(body: Buffer): string | undefined {
  if (body.length > MAX_DOCUMENT) return undefined;
  try {
    const { query, operationName } = graphqlBody.parse(JSON.parse(body.toString()));
    const operation = getOperationAST(parse(query), operationName || null);
    return operation ? [operation.operation, operation.name?.value].filter(Boolean).join(' ') : undefined;
  } catch {
    return undefined;
  }
}
