import { handlers } from '@as-integrations/aws-lambda';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { parse } from 'content-type';
import type { Access } from '../authenticate.ts';
import { toErrorResult } from '../error-result.ts';
import { requestError } from '../request-error.ts';

const integration = handlers.createAPIGatewayProxyEventV2RequestHandler();

type AuthenticatedEvent = { event: APIGatewayProxyEventV2; access: Access };

/** Converts between Lambda events and Apollo's requests, where GraphQL over HTTP demands more than the integration does. */
export const lambdaAdapter: handlers.RequestHandler<AuthenticatedEvent, APIGatewayProxyStructuredResultV2> = {
  fromEvent({ event }) {
    const { body, ...eventWithoutBody } = event;
    const request = integration.fromEvent(eventWithoutBody);
    return { ...request, body: parseBody(event, request.headers.get('content-type')) };
  },
  toSuccessResult(response) {
    const result = integration.toSuccessResult(response);
    return isWellFormedRequest(result) ? { ...result, statusCode: 200 } : result;
  },
  toErrorResult,
};

/** Apollo rejects the empty body that stands for content other than JSON. */
function parseBody({ body, isBase64Encoded }: APIGatewayProxyEventV2, contentType = ''): unknown {
  if (!body || parse(contentType).type !== 'application/json') return '';
  try {
    return JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
  } catch {
    throw requestError(400, 'BAD_REQUEST', 'The body is not valid JSON');
  }
}

/**
 * A well-formed request that fails is 200 in the media type application/json, whose clients take other statuses for
 * those of a gateway (GraphQL over HTTP, section 6.4.1). Apollo answers 400.
 */
function isWellFormedRequest({ statusCode, headers, body = '' }: APIGatewayProxyStructuredResultV2): boolean {
  if (statusCode !== 400 || parse(String(headers?.['content-type'])).type !== 'application/json') return false;
  const { errors }: { errors: { extensions?: { code?: string } }[] } = JSON.parse(body);
  return errors.every(({ extensions }) => extensions?.code !== 'BAD_REQUEST');
}
