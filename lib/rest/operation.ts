import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { ResponseFormat } from './response-formats.ts';
import type { Deprecation, HeaderValues } from './response-headers.ts';

export type Event = APIGatewayProxyEventV2;

export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Follows the path of the response format. */
  path: '' | '/{id}';
  summary: string;
  status: 200 | 201 | 204;
  scope: 'users:read' | 'users:write';
  body?: { schema: z.ZodMiniType<object>; mediaTypes: readonly string[] };
  /** The request headers that make the operation conditional or repeatable. */
  requestHeaders?: readonly ('If-Match' | 'If-None-Match' | 'Idempotency-Key')[];
  /** Sent as headers of every response. */
  deprecation?: Deprecation;
};

/** The status is that of the operation unless given. */
export type Rendered = { status?: 304; body?: unknown; headers?: HeaderValues };

/** With what its function receives, validated and the same in every response format, and what it returns. */
export type RestOperation<Request, Result> = Operation & {
  /** Throws BAD_USER_INPUT. */
  read(event: Event, format: ResponseFormat): Request;
  render(result: Result, request: Request, format: ResponseFormat): Rendered;
};
