import { handlers } from '@as-integrations/aws-lambda';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { parse } from 'content-type';
import type { FormattedExecutionResult } from 'graphql';
import { requireExactJson, tryParseJson } from '../../input/parsing.ts';
import type { Access } from '../authenticate.ts';
import { toGraphqlResponse } from '../errors.ts';
import { assertRequestSize, parseRequestBody, requireJsonType } from '../request-body.ts';
import { assertDocumentSize } from '../validation.ts';

const integration = handlers.createAPIGatewayProxyEventV2RequestHandler();

type AuthenticatedEvent = { event: APIGatewayProxyEventV2; access: Access };

/** Wraps the integration, which is less strict than GraphQL over HTTP. */
export const lambdaAdapter: handlers.RequestHandler<AuthenticatedEvent, APIGatewayProxyStructuredResultV2> = {
  fromEvent({ event }) {
    const { body, ...eventWithoutBody } = event;
    const request = integration.fromEvent(eventWithoutBody);
    const isPost = event.requestContext.http.method === 'POST';
    // Apollo rejects a GET request without the header, unless it has another header that forms cannot send.
    if (!isPost && event.headers['content-type'] !== undefined) requireJsonType(event);
    const parsedBody = isPost ? parseRequestBody(event) : '';
    if (!isPost) requireExactVariables(event.rawQueryString);
    assertSize(event, parsedBody);
    return { ...request, search: dropEmptyName(event.rawQueryString), body: parsedBody };
  },
  toSuccessResult(response) {
    const result = integration.toSuccessResult(response);
    if (isWellFormedRequest(result)) return { ...result, statusCode: 200 };
    return isPersistedQuery(result) ? rejectPersistedQuery(result) : result;
  },
  toErrorResult: toGraphqlResponse,
};

/** An empty operationName counts as absent (GraphQL over HTTP, section 5.2). */
function dropEmptyName(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.delete('operationName', '');
  return parameters.toString();
}

/** Throws BAD_USER_INPUT. Apollo rejects variables that are not JSON. */
function requireExactVariables(query: string): void {
  const variables = new URLSearchParams(query).get('variables');
  if (variables && tryParseJson(variables) !== undefined) requireExactJson(variables);
}

/** Throws HTTP errors. */
function assertSize({ rawQueryString }: APIGatewayProxyEventV2, body: unknown): void {
  assertRequestSize(Buffer.byteLength(rawQueryString));
  const bodyQuery = typeof body === 'object' && body !== null && 'query' in body ? body.query : undefined;
  const document = bodyQuery ?? new URLSearchParams(rawQueryString).get('query');
  if (typeof document === 'string') assertDocumentSize(document);
}

/** Only Apollo's answer to a persisted query has this header. Persisted queries are off. */
const isPersistedQuery = ({ headers }: APIGatewayProxyStructuredResultV2) => headers?.['cache-control'] !== undefined;

/** Apollo's status is 200, which requires data unless the type is application/json (GraphQL over HTTP, section 6.4.2). */
function rejectPersistedQuery({ headers, ...result }: APIGatewayProxyStructuredResultV2) {
  const type = String(headers?.['content-type']);
  return {
    ...result,
    statusCode: parse(type).type === 'application/json' ? 200 : 400,
    headers: { 'content-type': type },
  };
}

/**
 * True if the status must be 200: clients of application/json assume that another status comes from a gateway (GraphQL
 * over HTTP, section 6.4.1).
 */
function isWellFormedRequest({ statusCode, headers, body = '' }: APIGatewayProxyStructuredResultV2): boolean {
  if (statusCode !== 400 || parse(String(headers?.['content-type'])).type !== 'application/json') return false;
  const { errors = [] } = JSON.parse(body) as FormattedExecutionResult; // Created by Apollo.
  return errors.every(({ extensions }) => extensions?.code !== 'BAD_REQUEST');
}
