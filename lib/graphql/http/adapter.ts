import { handlers } from '@as-integrations/aws-lambda';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { parse } from 'content-type';
import { logError } from '../../log.ts';

const integration = handlers.createAPIGatewayProxyEventV2RequestHandler();

/** Between payload-2.0 events and Apollo's requests, where GraphQL over HTTP asks for more than the integration does. */
export const adapter: typeof integration = {
  fromEvent(event) {
    const { body, ...others } = event;
    const request = integration.fromEvent(others);
    return { ...request, body: parseJsonBody(event, request.headers.get('content-type')) };
  },
  toSuccessResult(response) {
    // The integration is typed for any result of API Gateway, and always makes a structured one.
    const result = integration.toSuccessResult(response) as APIGatewayProxyStructuredResultV2;
    return isWellFormedRequest(result) ? { ...result, statusCode: 200 } : result;
  },
  toErrorResult(error) {
    if (error instanceof SyntaxError) return failure(400, 'BAD_REQUEST', 'The body is not valid JSON');
    logError(error);
    return failure(500, 'INTERNAL_SERVER_ERROR', 'Internal server error');
  },
};

/** What is not JSON is left out, for Apollo to refuse. Throws a SyntaxError. */
function parseJsonBody({ body, isBase64Encoded }: APIGatewayProxyEventV2, contentType = ''): unknown {
  if (!body || parse(contentType).type !== 'application/json') return '';
  return JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
}

/**
 * Whether a 400 in `application/json` is for what the request asks, not for its form. Clients of that media type are
 * then to see 200, as they take others for a gateway's word (GraphQL over HTTP, section 6.4.1). Apollo says 400.
 */
function isWellFormedRequest({ statusCode, headers, body = '' }: APIGatewayProxyStructuredResultV2): boolean {
  if (statusCode !== 400 || parse(String(headers?.['content-type'])).type !== 'application/json') return false;
  const { errors }: { errors: { extensions?: { code?: string } }[] } = JSON.parse(body);
  return errors.every(({ extensions }) => extensions?.code !== 'BAD_REQUEST');
}

export const failure = (statusCode: number, code: string, message: string) => ({
  statusCode,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ errors: [{ message, extensions: { code } }] }),
});
