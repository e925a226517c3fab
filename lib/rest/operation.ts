import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Path } from './methods.ts';
import type { ResponseFormat } from './response-formats.ts';
import type { Deprecation, HeaderValues } from './responses.ts';

export type Event = APIGatewayProxyEventV2;

/** What an operation declares: routes, scopes, the OpenAPI document and the local gateway are made from it. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: Path;
  summary: string;
  /** Says more than the summary, the parameters and the responses do. */
  description: string;
  status: 200 | 201 | 204;
  scope: 'users:read' | 'users:write';
  /** `name` is that of the schema in the OpenAPI document, of which generators of clients make types. */
  body?: { name: string; schema: z.ZodMiniType<object>; mediaTypes: readonly string[] };
  /** The query parameters, by response format. */
  queries?: Record<ResponseFormat['name'], z.ZodMiniType>;
  /** The request headers that make the operation conditional or repeatable. */
  requestHeaders?: readonly ('If-Match' | 'If-None-Match' | 'Idempotency-Key')[];
  /** Of the response; undefined for one without a body. `name` is that of its schema in the OpenAPI document. */
  response?: { name: 'User' | 'UserList'; description: string };
  /** Sent as headers of every response. */
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
  /** Of the response; that of the operation if it is left out. */
  description?: string;
};

/** With what its function receives, validated and the same in every response format, and what it returns. */
export type RestOperation<Request, Result> = Operation & {
  /** Throws BAD_USER_INPUT. */
  read(event: Event, format: ResponseFormat): Request;
  render(result: Result, request: Request, format: ResponseFormat): Rendered;
  /** The first is the usual one. Others show the responses with another status. */
  examples: readonly [Example<Request, Result>, ...Example<Request, Result>[]];
};
