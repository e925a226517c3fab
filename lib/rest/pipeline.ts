import middy, { type MiddlewareObj } from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { parse } from 'content-type';
import Negotiator from 'negotiator';
import { logError, logUnavailable } from '../log.ts';
import { methodNotAllowed, notAcceptable, toErrorResponse, unsupportedMediaType, unsupportedPatch } from './errors.ts';
import { findAllowed } from './methods.ts';
import type { Operation } from './operation.ts';
import { createResponse } from './responses.ts';

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

/** Of most requests; they need no negotiation. */
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
    const { status, body, headers } = toErrorResponse(request.error);
    const { requestContext, routeKey } = request.event;
    if (status === 500) logError(request.error, { requestId: requestContext.requestId, routeKey });
    if (status === 503) logUnavailable({ routeKey });
    request.response = createResponse(status, body, { ...headers, deprecation: operation.deprecation });
  },
});
