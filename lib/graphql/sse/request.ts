import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { parse as parseContentType } from 'content-type';
import { type DocumentNode, GraphQLError, parse, specifiedRules, type ValidationRule, validate } from 'graphql';
import * as z from 'zod';
import { limitRules, MAX_TOKENS } from '../limits.ts';
import { RequestError, requestError } from './request-error.ts';
import { schema } from '../schema/schema.ts';

/** https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters */
const parameters = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** Takes only what a cross-site form cannot send. Throws a Refusal. */
export function readParameters({ requestContext, headers, body = '', isBase64Encoded }: APIGatewayProxyEventV2) {
  if (requestContext.http.method !== 'POST')
    throw requestError(405, 'BAD_REQUEST', 'Subscriptions are asked for by POST');
  if (parseContentType(headers['content-type'] ?? '').type !== 'application/json')
    throw requestError(415, 'BAD_REQUEST', 'The body has to be application/json');
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  const result = parameters.safeParse(parseJson(text));
  if (!result.success)
    throw requestError(400, 'BAD_REQUEST', 'The body has to hold a query, and may hold variables and operationName');
  return result.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw requestError(400, 'BAD_REQUEST', 'The body is not valid JSON');
  }
}

/** Parses and validates. Throws a Refusal. */
export function readDocument(query: string): DocumentNode {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: MAX_TOKENS });
  } catch (error) {
    throw new RequestError(400, 'GRAPHQL_PARSE_FAILED', [error as GraphQLError]);
  }
  const errors = validate(schema, document, [...specifiedRules, ...limitRules, alwaysSubscribed]);
  if (errors.length > 0) throw new RequestError(400, 'GRAPHQL_VALIDATION_FAILED', errors);
  return document;
}

/** The one root field may not be left out by a condition: https://spec.graphql.org/September2025/#sec-Single-Root-Field */
const alwaysSubscribed: ValidationRule = (context) => ({
  Directive(node) {
    if (!['skip', 'include'].includes(node.name.value)) return;
    if (context.getParentType() !== context.getSchema().getSubscriptionType()) return;
    context.reportError(new GraphQLError(`A subscription may not @${node.name.value} its root field`, { nodes: node }));
  },
});
