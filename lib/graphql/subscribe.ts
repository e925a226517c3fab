import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ExecutionResult, getOperationAST, subscribe } from 'graphql';
import { accessOf, requireScope } from './access.ts';
import { contextOf } from './context.ts';
import { deprecationsIn } from './deprecations.ts';
import { refuseCostly } from './limits.ts';
import { Refusal, refused } from './refusal.ts';
import { schema } from './schema.ts';
import { readDocument, readParameters } from './subscription-request.ts';

type Results = AsyncGenerator<ExecutionResult>;

/** Starts the one subscription that a request asks for, until it is over; what else it asks for is not run. Throws a Refusal. */
export async function subscribeTo(event: APIGatewayProxyEventV2, over: AbortSignal): Promise<Results> {
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
    contextValue: contextOf(access, over),
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  });
  if ('errors' in results) throw new Refusal(400, 'BAD_USER_INPUT', results.errors ?? []);
  return withDeprecations(results as Results, deprecationsIn(schema, document));
}

async function* withDeprecations(results: Results, deprecations: string[]): Results {
  for await (const result of results)
    yield deprecations.length > 0 ? { ...result, extensions: { deprecations } } : result;
}
