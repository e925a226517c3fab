import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  getOperationAST,
} from 'graphql';
import { REQUEST_TIME_LIMIT_MS, withDeadline } from '../../dynamodb/deadline.ts';
import { type Access, requireScope } from '../authenticate.ts';
import { createGraphqlContext } from '../context.ts';
import { findDeprecations } from '../deprecations.ts';
import { RequestError, requestError } from '../request-error.ts';
import { schema } from '../schema/schema.ts';
import { validateOperation } from '../validate-operation.ts';
import { parseDocument, parseParameters } from './parse-request.ts';

type Results = AsyncGenerator<ExecutionResult>;

/** Starts the requested subscription. Rejects queries and mutations before they are executed. Throws request errors. */
export async function executeSubscription(
  event: APIGatewayProxyEventV2,
  access: Access,
  signal: AbortSignal,
): Promise<Results> {
  const { query, variables, operationName } = parseParameters(event);
  const document = parseDocument(query);
  const operation = getOperationAST(document, operationName);
  if (!operation)
    throw requestError(400, 'OPERATION_RESOLUTION_FAILURE', 'operationName must name an operation of the document');
  if (operation.operation !== 'subscription')
    throw requestError(406, 'BAD_REQUEST', `A ${operation.operation} is answered as JSON, not as an event stream`);
  requireScope(access, 'subscription');
  const errors = validateOperation({ document, variables, operationName });
  if (errors.length > 0) throw new RequestError('GRAPHQL_VALIDATION_FAILED', errors);
  const subscription = {
    schema,
    document,
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  };
  const createContext = () => createGraphqlContext(access, signal);
  const changes = await createSourceEventStream({ ...subscription, contextValue: createContext() });
  if ('errors' in changes) throw toRequestError(changes.errors ?? []);
  // The types of graphql-js also allow a result without errors, which only queries have.
  return executeEach(
    changes as AsyncIterable<unknown>,
    subscription,
    createContext,
    findDeprecations(schema, document),
  );
}

/** What the resolver has thrown is an internal error unless it has a code; all else is about the request. */
function toRequestError(errors: readonly GraphQLError[]): RequestError {
  const isInternal = errors.some(({ originalError }) => originalError);
  return new RequestError(isInternal ? 'INTERNAL_SERVER_ERROR' : 'BAD_USER_INPUT', errors);
}

/** Each event has its own context, so that it reads the current state. */
async function* executeEach(
  changes: AsyncIterable<unknown>,
  subscription: ExecutionArgs,
  createContext: () => unknown,
  deprecations: string[],
): Results {
  for await (const rootValue of changes) {
    const event = { ...subscription, rootValue, contextValue: createContext() };
    const result = await withDeadline(REQUEST_TIME_LIMIT_MS, async () => execute(event));
    yield deprecations.length > 0 ? { ...result, extensions: { deprecations } } : result;
  }
}
