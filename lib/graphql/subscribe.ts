import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { parse as parseContentType } from 'content-type';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  parse,
  specifiedRules,
  subscribe,
  validate,
} from 'graphql';
import * as z from 'zod';
import { accessOf, requireScope } from './access.ts';
import { contextOf } from './context.ts';
import { deprecationsIn } from './deprecations.ts';
import { limitRules, MAX_TOKENS, refuseCostly } from './limits.ts';
import { schema } from './schema.ts';

/** https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters */
const parameters = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** Why nothing was subscribed to: one answer for all errors. */
export class Refusal extends Error {
  readonly errors: readonly GraphQLError[];
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
    this.errors = errors;
    this.status = status;
    this.code = code;
  }
}

const refused = (status: number, code: string, message: string) =>
  new Refusal(status, code, [new GraphQLError(message)]);

/** Starts the one subscription that the request asks for; whatever else it asks for is not run. Throws a Refusal. */
export async function subscribeTo(event: APIGatewayProxyEventV2): Promise<AsyncGenerator<ExecutionResult>> {
  const access = await accessOf(event);
  const { query, variables, operationName } = readParameters(event);
  const document = readDocument(query);
  const operation = getOperationAST(document, operationName);
  if (!operation)
    throw refused(400, 'OPERATION_RESOLUTION_FAILURE', 'operationName has to name one operation of the document');
  if (operation.operation !== 'subscription')
    throw refused(406, 'BAD_REQUEST', `A ${operation.operation} is answered as JSON; only subscriptions are streamed`);
  requireScope(access, 'subscription');
  refuseCostly(schema, { query: document, variables: variables ?? {}, operationName });
  const results = await subscribe({
    schema,
    document,
    contextValue: contextOf(access),
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  });
  if ('errors' in results) throw new Refusal(400, 'BAD_USER_INPUT', results.errors ?? []);
  return withDeprecations(results as AsyncGenerator<ExecutionResult>, deprecationsIn(schema, document));
}

async function* withDeprecations(results: AsyncGenerator<ExecutionResult>, deprecations: string[]) {
  for await (const result of results)
    yield deprecations.length > 0 ? { ...result, extensions: { deprecations } } : result;
}

/** Only what a cross-site form cannot send. */
function readParameters({ requestContext, headers, body = '', isBase64Encoded }: APIGatewayProxyEventV2) {
  if (requestContext.http.method !== 'POST') throw refused(405, 'BAD_REQUEST', 'Subscriptions are asked for by POST');
  if (parseContentType(headers['content-type'] ?? '').type !== 'application/json')
    throw refused(415, 'BAD_REQUEST', 'The body has to be application/json');
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  const result = parameters.safeParse(parseJson(text));
  if (!result.success)
    throw refused(400, 'BAD_REQUEST', 'The body has to hold a query, and may hold variables and operationName');
  return result.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(400, 'BAD_REQUEST', 'The body is not valid JSON');
  }
}

function readDocument(query: string): DocumentNode {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: MAX_TOKENS });
  } catch (error) {
    throw new Refusal(400, 'GRAPHQL_PARSE_FAILED', [error as GraphQLError]);
  }
  const errors = validate(schema, document, [...specifiedRules, ...limitRules]);
  if (errors.length > 0) throw new Refusal(400, 'GRAPHQL_VALIDATION_FAILED', errors);
  return document;
}
