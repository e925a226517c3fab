import middy, { type MiddlewareObj } from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { parse } from 'content-type';
import Negotiator from 'negotiator';
import { withDeadline } from '../dynamodb/deadline.ts';
import { environment } from '../environment.ts';
import { type ErrorCode, toServiceError } from '../errors.ts';
import { logError, logUnavailable, withRequestLog } from '../log.ts';
import { type Event, findAllowed, type Operation, type RestOperation } from './operation.ts';
import { createResponse, type HeaderValues, type ResponseFormat, responseFormats } from './responses.ts';

/** Creates the Lambda handler of an operation. It serves the operation's routes in every response format. */
export function endpoint<Request, Result>(
  operation: RestOperation<Request, Result>,
  run: (request: Request) => Promise<Result>,
) {
  const handler = createPipeline(operation).handler(async (event) => {
    const format = findFormat(event);
    const request = operation.read(event, format);
    const result = await run(request);
    const { status = operation.status, body, headers } = operation.render(result, request, format);
    return createResponse(status, body, { ...headers, deprecation: operation.deprecation });
  });
  return (event: Event, context: Context) =>
    withRequestLog(event, async () => ({
      result: await withDeadline(environment.requestTimeLimitMs, () => handler(event, context)),
    }));
}

function findFormat({ routeKey }: Event): ResponseFormat {
  const format = responseFormats.find(({ path }) => routeKey.split(' ')[1]?.startsWith(path));
  if (!format) throw new Error(`No response format for the route ${routeKey}`);
  return format;
}

type Middleware = MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>;

/** The middlewares of every operation. When several errors apply, the first one wins: 405, 406, 415, then 400. */
export function createPipeline(operation: Operation) {
  const pipeline = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>();
  pipeline.use(httpHeaderNormalizer()).use(errorHandler(operation)).use(requireMethod(operation));
  if (operation.status !== 204) pipeline.use(requireAcceptJson);
  if (operation.body) pipeline.use(requireContentType(operation.method, operation.body.mediaTypes));
  return pipeline;
}

const requireMethod = (operation: Operation): Middleware => ({
  before({ event }) {
    const allowed = findAllowed(operation, event);
    if (allowed) throw methodNotAllowed(allowed);
  },
});

const RESPONSE_TYPES = ['application/json', 'application/json; charset=utf-8'];

/** Most requests have one of these; they need no negotiation. */
const COMMON_ACCEPTS = new Set([undefined, '*/*', 'application/json']);

const requireAcceptJson: Middleware = {
  before({ event: { headers } }) {
    if (COMMON_ACCEPTS.has(headers.accept)) return;
    if (!new Negotiator({ headers }).mediaType(RESPONSE_TYPES)) throw notAcceptable();
  },
};

/** A body without a Content-Type is read as JSON. */
const requireContentType = (method: Operation['method'], mediaTypes: readonly string[]): Middleware => ({
  before({ event: { headers } }) {
    const contentType = headers['content-type'];
    if (!contentType || mediaTypes.includes(parse(contentType).type)) return;
    throw method === 'PATCH' ? unsupportedPatch(mediaTypes) : unsupportedMediaType(mediaTypes);
  },
});

const errorHandler = (operation: Operation): Middleware => ({
  onError(request) {
    const { status, body, headers } = toRestError(request.error);
    const { requestContext, routeKey } = request.event;
    if (status === 500) logError(request.error, { requestId: requestContext.requestId, routeKey });
    if (status === 503) logUnavailable({ routeKey });
    request.response = createResponse(status, body, { ...headers, deprecation: operation.deprecation });
  },
});

const STATUS: Record<ErrorCode, number> = {
  BAD_USER_INPUT: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  IDEMPOTENCY_KEY_REUSED: 422,
  SERVICE_UNAVAILABLE: 503,
};

const RETRY_AFTER_SECONDS = 1;

/** An error of HTTP itself. All others that a caller sees are a `ServiceError`, in every API. */
class HttpError extends Error {
  readonly status: number;
  readonly headers: HeaderValues;

  constructor(status: number, message: string, headers: HeaderValues = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }
}

export const methodNotAllowed = (allow: readonly string[]) =>
  new HttpError(405, `The methods of this path are ${allow.join(', ')}`, { allow });
export const notAcceptable = () => new HttpError(406, 'Accept must allow application/json');
export const unsupportedMediaType = (supported: readonly string[]) =>
  new HttpError(415, `Content-Type must be ${supported.join(' or ')}`);
/** RFC 5789 section 2.2 */
export const unsupportedPatch = (acceptPatch: readonly string[]) =>
  new HttpError(415, unsupportedMediaType(acceptPatch).message, { acceptPatch });

export type ErrorResponse = { status: number; body: { error: string; issues?: unknown }; headers?: HeaderValues };

/** The response to anything thrown, the same in every response format. Internal errors are masked. */
export function toRestError(error: unknown): ErrorResponse {
  const known = toServiceError(error);
  if (known) {
    const { code, message, issues } = known;
    const headers = code === 'SERVICE_UNAVAILABLE' ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {};
    return { status: STATUS[code], body: { error: message, ...(issues ? { issues } : {}) }, headers };
  }
  if (error instanceof HttpError)
    return { status: error.status, body: { error: error.message }, headers: error.headers };
  return { status: 500, body: { error: 'Internal server error' } };
}
