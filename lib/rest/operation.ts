import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Right } from '../auth/rights.ts';
import type { Deprecation, HeaderValues, ResponseFormat } from './responses.ts';

export type Event = APIGatewayProxyEventV2;

type Action =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  | 'BatchWriteItem';

/**
 * The actions that a function may perform on the table and its index. A transaction needs the actions of its writes:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
 * Every function needs GetItem for the read that opens the connection during INIT. A test compares the rest with the
 * requests that each function sends.
 */
export type Grant = { table: readonly Action[]; index?: readonly Action[] };

/** Routes, scopes, grants, the OpenAPI document and the local gateway are made from what an operation declares. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path follows that of the response format. */
  path: '' | `/${string}`;
  summary: string;
  /** Says more than the summary, the parameters and the responses do. */
  description: string;
  status: 200 | 201 | 204;
  scope: 'users:read' | 'users:write';
  /** What a request needs beyond the scope, which the gateway checks. */
  findRight?(event: Event): Right;
  grant: Grant;
  /** `name` is that of the schema in the OpenAPI document, of which generators of clients make types. */
  body?: { name: string; schema: z.ZodMiniType<object>; mediaTypes: readonly string[] };
  /** The query parameters differ by response format. */
  queries?: Record<ResponseFormat['name'], z.ZodMiniType>;
  /** The request headers that make the operation conditional or repeatable. */
  requestHeaders?: readonly ('If-Match' | 'If-None-Match' | 'If-Unmodified-Since' | 'Idempotency-Key')[];
  /** A response that has no body is undefined. `name` is that of its schema in the OpenAPI document. */
  response?: { name: 'User' | 'UserList'; description: string };
  /** Every response has it in headers. */
  deprecation?: Deprecation;
};

/** The status is that of the operation unless given. */
export type Rendered = { status?: 304; body?: unknown; headers?: HeaderValues };

/** A request as its function receives it and what the function returns, and the query or body that a client sends for it. */
export type Example<Request, Result> = {
  request: Request;
  result: Result;
  query?: string;
  body?: object;
  /** Describes the response; the description of the operation does by default. */
  description?: string;
};

/** Adds what its function receives, validated and the same in every response format, and what it returns. */
export type RestOperation<Request, Result> = Operation & {
  /** Throws BAD_USER_INPUT. */
  read(event: Event, format: ResponseFormat): Request;
  render(result: Result, request: Request, format: ResponseFormat): Rendered;
  /** The first is the usual one. Others show the responses with another status. */
  examples: readonly [Example<Request, Result>, ...Example<Request, Result>[]];
};

/** The methods that API Gateway can route. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/**
 * The methods of the paths that have several operations. A test compares them with the operations, whose schemas would
 * make the functions larger.
 */
const ALLOWED: Record<string, readonly Method[]> = {
  '': ['GET', 'HEAD', 'POST'],
  '/{id}': ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
};

type Route = Pick<Operation, 'method' | 'path'>;

const listAllowed = ({ method, path }: Route): readonly Method[] =>
  ALLOWED[path] ?? (method === 'GET' ? ['GET', 'HEAD'] : [method]);

/**
 * The methods that an operation's function has routes for. That of GET has also HEAD (RFC 9110 section 9.3.2), and the
 * methods that its path does not allow, which it answers with 405: API Gateway itself would answer 404. SAM would let one
 * route for ANY method hide the other routes of its path.
 */
export function listRouteMethods(route: Route): readonly Method[] {
  const allowed = listAllowed(route);
  return route.method === 'GET'
    ? ['GET', 'HEAD', ...METHODS.filter((other) => !allowed.includes(other))]
    : [route.method];
}

/** The methods of the path if that of the request is none of them. */
export function findAllowed(route: Route, { requestContext }: Event): readonly Method[] | undefined {
  const allowed = listAllowed(route);
  return allowed.some((method) => method === requestContext.http.method) ? undefined : allowed;
}
