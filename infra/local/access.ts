import { type IncomingMessage, ServerResponse } from 'node:http';
import { getOperationAST, parse } from 'graphql';
import * as z from 'zod/mini';
import { isUserId } from '../../lib/dynamodb/keys.ts';
import { splitUrl } from '../../lib/http-event.ts';
import { responseFormats } from '../../lib/rest/responses.ts';

/** Logs may show this of a response as it was sent. */
export type Access = {
  by: 'function' | 'page' | 'gateway';
  method: string;
  path: string;
  /** It names the operation of a GraphQL request. */
  operation?: string | undefined;
  status: number;
  ms: number;
  /** It counts the requests to the database and their capacity units. */
  used?: string | undefined;
  /** It is the message of an error. */
  reason?: string | undefined;
};

const errorBody = z.object({
  error: z.optional(z.string()),
  message: z.optional(z.string()),
  errors: z.optional(z.array(z.object({ message: z.string() }))),
});

const MAX_KEPT = 10_000;

/** Keeps the start of the body, which has the reason of an error. */
export class RecordedResponse extends ServerResponse {
  /** The operation of a GraphQL request, such as `mutation CreateUser`. */
  operation: string | undefined;
  #body = '';

  override write(...args: unknown[]): boolean {
    this.#keep(args[0]);
    return super.write(...(args as Parameters<ServerResponse['write']>)); // They are the same, whichever overload it was.
  }

  override end(...args: unknown[]): this {
    this.#keep(args[0]);
    return super.end(...(args as Parameters<ServerResponse['end']>));
  }

  #keep(chunk: unknown): void {
    const isText = typeof chunk === 'string' || Buffer.isBuffer(chunk);
    if (isText && this.#body.length < MAX_KEPT) this.#body += chunk.toString().slice(0, MAX_KEPT);
  }

  /** Finds the message of an error, in REST, GraphQL or of the gateway. */
  findReason(): string | undefined {
    // GraphQL answers 200 with errors.
    if (this.statusCode < 400 && !this.#body.startsWith('{"errors"')) return undefined;
    try {
      const { error, message, errors } = errorBody.parse(JSON.parse(this.#body));
      return error ?? message ?? errors?.[0]?.message;
    } catch {
      return findFirstMessage(this.#body);
    }
  }
}

/** The body may be longer than what was kept of it. */
function findFirstMessage(body: string): string | undefined {
  const [, message] = /"message":("(?:[^"\\]|\\.)*")/.exec(body) ?? [];
  return message && z.string().parse(JSON.parse(message));
}

/** Reads `db;desc="1 request, 0.5 RCU"` in Server-Timing. */
export const readUsage = (response: ServerResponse): string | undefined =>
  /db;desc="([^"]*)"/.exec(String(response.getHeader('server-timing')))?.[1];

/** Parameters of lists whose values say nothing about a person. */
const IMPERSONAL = new Set(['page', 'limit', 'order', 'after']);

/** Path and query of a request as logs may show them: what can hold a name or an address is `…`. */
export function describePath(request: IncomingMessage): string {
  const [path, query] = splitUrl(request);
  const parameters = query.split('&').map(describeParameter).join('&');
  return query ? `${describeSegments(path)}?${parameters}` : describeSegments(path);
}

function describeSegments(path: string): string {
  const format = responseFormats.find((format) => path.startsWith(`${format.path}/`));
  if (format) return isUserId(path.slice(format.path.length + 1)) ? path : `${format.path}/…`;
  return path.replace(/[^/]*(@|%40)[^/]*/g, '…');
}

function describeParameter(parameter: string): string {
  const [name = '', value] = parameter.split('=');
  if (value === undefined) return '…';
  return IMPERSONAL.has(name) ? parameter : `${/^\w+$/.test(name) ? name : '…'}=…`;
}

/** The API takes shorter documents, and variables need room. */
const MAX_DOCUMENT = 100_000;

const graphqlBody = z.object({ query: z.string(), operationName: z.nullish(z.string()) });

/** Returns `mutation CreateUser` or `query`; undefined if the body of the request cannot be parsed. */
export function describeOperation(body: Buffer): string | undefined {
  if (body.length > MAX_DOCUMENT) return undefined;
  try {
    const { query, operationName } = graphqlBody.parse(JSON.parse(body.toString()));
    const operation = getOperationAST(parse(query), operationName);
    return operation ? [operation.operation, operation.name?.value].filter(Boolean).join(' ') : undefined;
  } catch {
    return undefined;
  }
}
