import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { parse as parseContentType } from 'content-type';
import { type DocumentNode, GraphQLError, parse, specifiedRules, type ValidationRule, validate } from 'graphql';
import * as z from 'zod';
import { limitRules, MAX_TOKENS } from '../limits.ts';
import { RequestError, requestError } from '../request-error.ts';
import { schema } from '../schema/schema.ts';

/** https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters */
const parameters = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** Accepts only requests that a form of another site cannot send (CSRF). Throws request errors. */
export function parseParameters({ requestContext, headers, body = '', isBase64Encoded }: APIGatewayProxyEventV2) {
  if (requestContext.http.method !== 'POST') throw requestError(405, 'BAD_REQUEST', 'Subscriptions require POST');
  if (parseContentType(headers['content-type'] ?? '').type !== 'application/json')
    throw requestError(415, 'BAD_REQUEST', 'The Content-Type must be application/json');
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  const result = parameters.safeParse(parseJson(text));
  if (!result.success)
    throw requestError(400, 'BAD_REQUEST', 'The body must have a query, and may have variables and operationName');
  return result.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw requestError(400, 'BAD_REQUEST', 'The body is not valid JSON');
  }
}

/** Parses and validates. Throws a RequestError. */
export function parseDocument(query: string): DocumentNode {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: MAX_TOKENS });
  } catch (error) {
    throw new RequestError('GRAPHQL_PARSE_FAILED', [error as GraphQLError]);
  }
  const errors = validate(schema, document, [...specifiedRules, ...limitRules, unconditionalRootField]);
  if (errors.length > 0) throw new RequestError('GRAPHQL_VALIDATION_FAILED', errors);
  return document;
}

/** https://spec.graphql.org/September2025/#sec-Single-Root-Field */
const unconditionalRootField: ValidationRule = (context) => ({
  Directive(node) {
    if (!['skip', 'include'].includes(node.name.value)) return;
    if (context.getParentType() !== context.getSchema().getSubscriptionType()) return;
    const message = `The root field of a subscription must not have @${node.name.value}`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});
