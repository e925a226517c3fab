import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ExecutionResult, getOperationAST, subscribe } from 'graphql';
import { authenticate, requireScope } from '../authenticate.ts';
import { createGraphqlContext } from '../context.ts';
import { findDeprecations } from '../deprecations.ts';
import { assertQueryCost } from '../limits.ts';
import { RequestError, requestError } from './request-error.ts';
import { schema } from '../schema/schema.ts';
import { readDocument, readParameters } from './request.ts';

type Results = AsyncGenerator<ExecutionResult>;

/** Starts the one subscription that a request asks for, until it is over; what else it asks for is not run. Throws a Refusal. */
export async function subscribeTo(event: APIGatewayProxyEventV2, over: AbortSignal): Promise<Results> {
  const access = await authenticate(event);
  const { query, variables, operationName } = readParameters(event);
  const document = readDocument(query);
  const operation = getOperationAST(document, operationName);
  if (!operation)
    throw requestError(400, 'OPERATION_RESOLUTION_FAILURE', 'operationName has to name one operation of the document');
  if (operation.operation !== 'subscription')
    throw requestError(
      406,
      'BAD_REQUEST',
      `A ${operation.operation} is answered as JSON; only subscriptions are streamed`,
    );
  requireScope(access, 'subscription');
  assertQueryCost(schema, { query: document, variables: variables ?? {}, operationName });
  const results = await subscribe({
    schema,
    document,
    contextValue: createGraphqlContext(access, over),
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  });
  if ('errors' in results) throw new RequestError(400, 'BAD_USER_INPUT', results.errors ?? []);
  return withDeprecations(results as Results, findDeprecations(schema, document));
}

async function* withDeprecations(results: Results, deprecations: string[]): Results {
  for await (const result of results)
    yield deprecations.length > 0 ? { ...result, extensions: { deprecations } } : result;
}
