import middy, { type MiddlewareObj } from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { parse } from 'content-type';
import {
  type Actor,
  type Claims,
  decodeVerifiedClaims,
  findDenial,
  formatCaller,
  readCaller,
  requireAuthorizer,
  toLogCaller,
} from '../auth/caller.ts';
import { withDeadline } from '../dynamodb/requests.ts';
import { environment } from '../environment.ts';
import { forbidden, invalidInput, toServiceError } from '../errors.ts';
import { logError, logUnavailable, withRequestLog } from '../log.ts';
import { chooseMediaType, EXACT, findPreference, isEncoded, isUtf8Charset } from '../negotiation.ts';
import { subjectField } from '../users/fields/values.ts';
import {
  methodNotAllowed,
  notAcceptable,
  PROBLEM_TYPE,
  toRestError,
  unsupportedCharset,
  unsupportedEncoding,
  unsupportedMediaType,
  unsupportedPatch,
} from './errors.ts';
import type { Event, Operation, RestOperation } from './operation.ts';
import { findAllowed, JSON_TYPE } from './requests.ts';
import { createResponse, listCommonHeaders, type ResponseFormat, responseFormats, timedFormats } from './responses.ts';

/**
 * Creates the Lambda handler of an operation. `run` receives the validated request and the caller. The path chooses the
 * response format.
 */
export function endpoint<Request, Result>(
  operation: RestOperation<Request, Result>,
  run: (request: Request, by: Actor) => Promise<Result>,
) {
  const handler = createPipeline(operation).handler(async (event) => {
    const format = findFormat(event, includesTimes(event) ? timedFormats : responseFormats);
    const request = operation.read(event, format);
    const result = await run(request, formatCaller(readCaller(event)));
    const { status = operation.status, body, headers } = operation.render(result, request, format);
    return createResponse(status, body, { ...headers, ...listCommonHeaders(operation) });
  });
  return (event: Event, context: Context) =>
    withRequestLog(event, async () => ({
      result: await withDeadline(environment.requestTimeLimitMs, () => handler(event, context)),
      ...(subjectField ? { caller: toLogCaller(readCaller(event), readClaims(event)) } : {}),
    }));
}

function readClaims({ headers }: Event): Claims | undefined {
  try {
    const isToken = environment.requiredAuthorizer === 'jwt';
    return isToken ? decodeVerifiedClaims(headers.authorization ?? headers.Authorization) : undefined;
  } catch {
    // The token is malformed: `authorize` has rejected the request.
    return undefined;
  }
}

function includesTimes({ queryStringParameters = {} }: Event): boolean {
  const { include } = queryStringParameters;
  if (include !== undefined && include !== 'times') throw invalidInput(['include'], 'must be times');
  return include === 'times';
}

function findFormat({ routeKey }: Event, formats = responseFormats): ResponseFormat {
  // Stryker disable next-line OptionalChaining: only for the compiler
  const format = formats.find(({ path }) => routeKey.split(' ')[1]?.startsWith(path));
  if (!format) throw new Error(`No response format for the route ${routeKey}`);
  return format;
}

type Middleware = MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>;

/** Checks in this order: 403, 405, 406, 415, then 400. The first error wins. */
function createPipeline(operation: Operation) {
  const pipeline = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>();
  pipeline
    .use(httpHeaderNormalizer())
    .use(errorHandler(operation))
    .use(authorize(operation))
    .use(requireMethod(operation));
  if (operation.status !== 204) pipeline.use(requireAcceptJson);
  if (operation.body) pipeline.use(requireContentType(operation.method, operation.body.mediaTypes));
  return pipeline;
}

/** Checks groups, and scopes that only some requests of a route need: the gateway cannot check them. */
const authorize = ({ right, findRight }: Operation): Middleware => ({
  before({ event }) {
    requireAuthorizer(event);
    if (environment.requiredAuthorizer !== 'jwt') {
      if (right === 'self') throw forbidden('The request must have a token');
      return;
    }
    const denial = findDenial(decodeVerifiedClaims(event.headers.authorization), findRight?.(event) ?? right);
    if (denial) throw forbidden(denial.message, denial.challenge);
  },
});

const requireMethod = (operation: Operation): Middleware => ({
  before({ event }) {
    const allowed = findAllowed(operation, event);
    if (allowed) throw methodNotAllowed(allowed);
  },
});

const requireAcceptJson: Middleware = {
  before({ event: { headers } }) {
    if (!chooseMediaType(headers.accept, [JSON_TYPE])) throw notAcceptable();
  },
};

/** Checks Content-Type. A body without it counts as JSON. */
const requireContentType = (method: Operation['method'], mediaTypes: readonly string[]): Middleware => ({
  before({ event: { headers } }) {
    if (isEncoded(headers['content-encoding'])) throw unsupportedEncoding();
    const contentType = headers['content-type'];
    if (!contentType) return;
    const { type, parameters } = parse(contentType);
    if (!mediaTypes.includes(type))
      throw method === 'PATCH' ? unsupportedPatch(mediaTypes) : unsupportedMediaType(mediaTypes);
    if (!isUtf8Charset(parameters.charset)) throw unsupportedCharset();
  },
});

const errorHandler = (operation: Operation): Middleware => ({
  onError(request) {
    const { error, event } = request;
    const { requestContext, routeKey } = event;
    const { status, headers, body, problem } = toRestError(error);
    if (status === 500) logError(error, { requestId: requestContext.requestId, routeKey });
    if (status === 503) logUnavailable({ routeKey });
    const known = toServiceError(error);
    const more = known && operation.describeError?.(known, findFormat(event).path);
    const values = { ...headers, ...more, ...listCommonHeaders(operation) };
    request.response = acceptsProblem(event.headers)
      ? createResponse(status, problem, values, PROBLEM_TYPE)
      : createResponse(status, body, values);
  },
});

/**
 * True if Accept names the media type of problems and does not prefer JSON. A range such as `application/*` is not
 * enough.
 */
function acceptsProblem({ accept }: Event['headers']): boolean {
  const { weight, specificity } = findPreference(accept, PROBLEM_TYPE);
  return specificity === EXACT && weight > 0 && weight >= findPreference(accept, JSON_TYPE).weight;
}
