import middy, { type MiddlewareObj } from '@middy/core';
import httpContentNegotiation from '@middy/http-content-negotiation';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { createError } from '@middy/util';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { parse } from 'content-type';
import { deprecationHeaders } from './deprecation.ts';
import { failureOf } from './failures.ts';
import type { Operation } from './operations.ts';

export type Middleware = MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>;

export const JSON_HEADERS = { 'content-type': 'application/json' };

/** The one pipeline. Its order is that of the faults where several meet: 406, 415, 400. */
export function pipelineOf(operation: Operation) {
  const pipeline = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>();
  pipeline.use(httpHeaderNormalizer()).use(tellDeprecation(operation)).use(answerFailures);
  if (operation.status !== 204) pipeline.use(servesJson());
  if (operation.accepts)
    pipeline.use(takes(operation.accepts)).use(httpJsonBodyParser({ disableContentTypeCheck: true }));
  return pipeline;
}

const servesJson = () =>
  httpContentNegotiation({
    parseCharsets: false,
    parseEncodings: false,
    parseLanguages: false,
    availableMediaTypes: ['application/json', 'application/json; charset=utf-8'],
  }) as Middleware;

/** A body without a Content-Type is taken for JSON. */
const takes = (mediaTypes: string[]): Middleware => ({
  before({ event }) {
    const contentType = event.headers['content-type'];
    if (contentType && !mediaTypes.includes(parse(contentType).type)) throw createError(415, 'Unsupported Media Type');
  },
});

const tellDeprecation = ({ deprecation }: Operation): Middleware => {
  const { link, ...headers } = deprecationHeaders(deprecation);
  const tell: NonNullable<Middleware['after']> = ({ response }) => {
    if (!response) return;
    const links = [response.headers?.link, link].filter(Boolean);
    response.headers = { ...response.headers, ...headers, ...(links.length > 0 ? { link: links.join(', ') } : {}) };
  };
  return { after: tell, onError: tell };
};

const answerFailures: Middleware = {
  onError(request) {
    const failure = failureOf(request.error) ?? unexpected(request.error, request.event);
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
): ReturnType<typeof failureOf> & {} {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error({ event: 'fault', requestId: requestContext.requestId, routeKey, error: { name, message, stack } });
  return { status: 500, body: { error: 'Internal server error' } };
}
