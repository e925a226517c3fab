import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Right } from '../auth/caller.ts';
import type { ServiceError } from '../errors.ts';
import type { Method } from './requests.ts';
import type { Deprecation, HeaderValues, ResponseFormat } from './responses.ts';

export type Event = APIGatewayProxyEventV2;

type Action = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';

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
  /** The gateway checks its scope. */
  right: 'read' | 'write' | 'self';
  /** Returns the right of one request, for an operation some of whose requests need another right. */
  findRight?(event: Event): Right;
  grant: Grant;
  /** `name` is that of the schema in the OpenAPI document, of which generators of clients make types. */
  body?: { name: string; schema: z.ZodMiniType<object>; mediaTypes: readonly string[] };
  /** The query parameters differ by response format. */
  queries?: Record<ResponseFormat['name'], z.ZodMiniType>;
  /** The request headers that make the operation conditional or repeatable. */
  requestHeaders?: readonly ('If-Match' | 'If-None-Match' | 'If-Unmodified-Since' | 'Idempotency-Key' | 'Prefer')[];
  /** A response that has no body is undefined. `name` is that of its schema in the OpenAPI document. */
  response?: { name: 'User' | 'UserList' | 'Me'; description: string };
  /** Every response has it in headers. */
  deprecation?: Deprecation;
  /** The methods of the path, if it is not one of users. */
  pathMethods?: readonly Method[];
  /** Returns whether a setting turns a method of the path off. It is answered with 405. */
  isTurnedOff?(method: string): boolean;
  /** Whether responses must not be stored. */
  isPrivate?: boolean;
  /** Returns more headers of an error response. */
  describeError?(error: ServiceError, path: string): HeaderValues;
};

/** Own records exist only where a field has a subject. */
export const isOffered = ({ right }: Pick<Operation, 'right'>, hasSubject: boolean): boolean =>
  right !== 'self' || hasSubject;

/** The status is that of the operation unless given. */
export type Rendered = { status?: 304; body?: unknown; headers?: HeaderValues };

/** Adds what its function receives, validated and the same in every response format, and what it returns. */
export type RestOperation<Request, Result> = Operation & {
  /** Throws BAD_USER_INPUT. */
  read(event: Event, format: ResponseFormat): Request;
  render(result: Result, request: Request, format: ResponseFormat): Rendered;
};
