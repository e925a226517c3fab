import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { parse as parseContentType } from 'content-type';
import { type DocumentNode, type GraphQLError, parse } from 'graphql';
import * as z from 'zod/mini';
import { assertDocumentSize, MAX_TOKENS } from '../document-limits.ts';
import { parseRequestBody } from '../request-body.ts';
import { RequestError, requestError } from '../request-error.ts';

/** https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters */
const parameters = z.object({
  query: z.string(),
  variables: z.nullish(z.record(z.string(), z.unknown())),
  operationName: z.nullish(z.string()),
});

/** Accepts only requests that a form of another site cannot send (CSRF). Throws request errors. */
export function parseParameters(event: APIGatewayProxyEventV2) {
  const { requestContext, headers } = event;
  if (requestContext.http.method !== 'POST') throw requestError(405, 'BAD_REQUEST', 'Subscriptions require POST');
  if (parseContentType(headers['content-type'] ?? '').type !== 'application/json')
    throw requestError(415, 'BAD_REQUEST', 'The Content-Type must be application/json');
  const result = parameters.safeParse(parseRequestBody(event));
  if (!result.success)
    throw requestError(400, 'BAD_REQUEST', 'The body must have a query, and may have variables and operationName');
  assertDocumentSize(result.data.query);
  return result.data;
}

/** Throws a RequestError. */
export function parseDocument(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: MAX_TOKENS });
  } catch (error) {
    throw new RequestError('GRAPHQL_PARSE_FAILED', [error as GraphQLError]); // graphql-js throws no other error here.
  }
}
