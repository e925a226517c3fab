import { isUtf8 } from 'node:buffer';
import middy, { type MiddlewareObj } from '@middy/core';
import httpContentNegotiation from '@middy/http-content-negotiation';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { createError } from '@middy/util';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { parse } from 'content-type';
import { logError, logUnavailable } from '../log.ts';
import { deprecationHeaders } from './deprecation.ts';
import { toErrorResponse } from './errors.ts';
import type { Operation } from './operations.ts';

export type Middleware = MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>;

export const JSON_HEADERS = { 'content-type': 'application/json' };

/** The one pipeline. Its order is that of the faults where several meet: 406, 415, 400. */
export function createPipeline(operation: Operation) {
  const pipeline = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>();
  pipeline.use(httpHeaderNormalizer()).use(addDeprecationHeaders(operation)).use(errorHandler);
  if (operation.status !== 204) pipeline.use(requireAcceptJson());
  if (operation.accepts)
    pipeline.use(requireContentType(operation.accepts)).use(httpJsonBodyParser({ disableContentTypeCheck: true }));
  return pipeline;
}

const requireAcceptJson = () =>
  httpContentNegotiation({
    parseCharsets: false,
    parseEncodings: false,
    parseLanguages: false,
    availableMediaTypes: ['application/json', 'application/json; charset=utf-8'],
  }) as Middleware;

/** A body without a Content-Type is taken for JSON. */
const requireContentType = (mediaTypes: string[]): Middleware => ({
  before({ event }) {
    const contentType = event.headers['content-type'];
    if (contentType && !mediaTypes.includes(parse(contentType).type)) throw createError(415, 'Unsupported Media Type');
    // RFC 8259 section 8.1: JSON is UTF-8; decoded leniently, other bytes would become U+FFFD in silence.
    if (event.isBase64Encoded && !isUtf8(Buffer.from(event.body ?? '', 'base64'))) throw createError(422, 'Not UTF-8');
  },
});

const addDeprecationHeaders = ({ deprecation }: Operation): Middleware => {
  const { link, ...headers } = deprecationHeaders(deprecation);
  const tell: NonNullable<Middleware['after']> = ({ response }) => {
    if (!response) return;
    const links = [response.headers?.link, link].filter(Boolean);
    response.headers = { ...response.headers, ...headers, ...(links.length > 0 ? { link: links.join(', ') } : {}) };
  };
  return { after: tell, onError: tell };
};

const errorHandler: Middleware = {
  onError(request) {
    const failure = toErrorResponse(request.error) ?? unexpected(request.error, request.event);
    if (failure.status === 503) logUnavailable({ routeKey: request.event.routeKey });
    request.response = {
      statusCode: failure.status,
      headers: { ...JSON_HEADERS, ...failure.headers },
      body: JSON.stringify(failure.body),
    };
  },
};

/** The caller learns nothing of it; the log, once, all. */
function unexpected(
  error: unknown,
  { requestContext, routeKey }: APIGatewayProxyEventV2,
): ReturnType<typeof toErrorResponse> & {} {
  logError(error, { requestId: requestContext.requestId, routeKey });
  return { status: 500, body: { error: 'Internal server error' } };
}
