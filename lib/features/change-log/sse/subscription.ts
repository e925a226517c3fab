import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  execute,
  type GraphQLError,
  getOperationAST,
  parse,
} from 'graphql';
import * as z from 'zod/mini';
import { withDeadline } from '../../../dynamodb/requests.ts';
import { environment } from '../../../environment.ts';
import { SlowClient } from '../../../errors.ts';
import type { Access } from '../../../graphql/authenticate.ts';
import { createGraphqlContext } from '../../../graphql/context.ts';
import { DocumentErrors, formatGraphqlError, httpError } from '../../../graphql/errors.ts';
import { parseRequestBody } from '../../../graphql/request-body.ts';
import { schema } from '../../../graphql/schema/schema.ts';
import { assertDocumentSize, findDeprecations, MAX_TOKENS, validateOperation } from '../../../graphql/validation.ts';
import type { LoggedChange } from '../entry.ts';
import type { Holder } from '../stream-memory.ts';
import type { ChangeStream } from '../subscribe.ts';
import { createOperationKey } from './operation-key.ts';
import { acquireEvent, CURSOR, copyEvent, releaseEvent } from './shared-events.ts';

export type Events = AsyncGenerator<Iterable<Uint8Array>>;

type StartedSubscription = { events: Events; start: string };

/** Throws HTTP errors. */
export async function executeSubscription(
  event: APIGatewayProxyEventV2,
  access: Access,
  connection: AbortController,
): Promise<StartedSubscription> {
  const { query, variables, operationName } = parseParameters(event);
  const document = parseDocument(query);
  const operation = getOperationAST(document, operationName);
  if (!operation)
    throw httpError(400, 'OPERATION_RESOLUTION_FAILURE', 'operationName must name an operation of the document');
  if (operation.operation !== 'subscription')
    throw httpError(406, 'BAD_REQUEST', `A ${operation.operation} is answered as JSON, not as an event stream`);
  requireChangeLog();
  const errors = validateOperation({ document, variables, operationName });
  if (errors.length > 0) throw new DocumentErrors('GRAPHQL_VALIDATION_FAILED', errors);
  const subscription = {
    schema,
    document,
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  };
  const contextValue = createGraphqlContext(access, connection.signal);
  const changes = await createSourceEventStream({ ...subscription, contextValue });
  if ('errors' in changes) throw toRequestError(changes.errors ?? []);
  // Cast: `createSourceEventStream` returns errors or a stream, although its type allows other results.
  const stream = changes as ChangeStream;
  const events = readEvents(stream, {
    key: createOperationKey(document, operation, variables ?? {}, access),
    holder: { end: () => connection.abort(new SlowClient()) },
    execute: (rootValue) => executeOnce({ ...subscription, rootValue, contextValue: createGraphqlContext(access) }),
  });
  return { events, start: stream.start };
}

/** False for an invalid request: the response is an error in JSON. */
export function isSubscription(event: APIGatewayProxyEventV2): boolean {
  try {
    const { query, operationName } = parseParameters(event);
    return getOperationAST(parseDocument(query), operationName)?.operation === 'subscription';
  } catch {
    return false;
  }
}

/** Throws status 400, not 503, if a setting turns subscriptions off: retries cannot succeed. */
function requireChangeLog(): void {
  if (environment.maxStreams > 0 && environment.keepsChangeLog) return;
  throw httpError(400, 'BAD_REQUEST', 'Subscriptions are turned off in this service');
}

/** Errors thrown by the resolver are internal unless they have a code. */
function toRequestError(errors: readonly GraphQLError[]): DocumentErrors {
  const isInternal = errors.some(({ originalError }) => originalError);
  return new DocumentErrors(isInternal ? 'INTERNAL_SERVER_ERROR' : 'BAD_USER_INPUT', errors);
}

type Operation = {
  key: string;
  holder: Holder;
  execute(change: LoggedChange): Promise<object>;
};

async function* readEvents(changes: AsyncIterable<LoggedChange>, { key, holder, execute }: Operation): Events {
  for await (const change of changes) {
    const eventKey = `${key} ${change.topic} ${change.sequence}`;
    const event = await acquireEvent(eventKey, holder, () => execute({ ...change, cursor: CURSOR }));
    try {
      yield copyEvent(event, change.cursor);
    } finally {
      releaseEvent(eventKey, event, holder);
    }
  }
}

async function executeOnce(event: ExecutionArgs): Promise<object> {
  const { errors, ...result } = await withDeadline(environment.requestTimeLimitMs, async () => execute(event));
  const deprecations = findDeprecations(schema, event.document);
  return {
    ...result,
    ...(errors ? { errors: errors.map((error) => formatGraphqlError(error)) } : {}),
    ...(deprecations.length > 0 ? { extensions: { deprecations } } : {}),
  };
}

/** https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters */
const parameters = z.object({
  query: z.string(),
  variables: z.nullish(z.record(z.string(), z.unknown())),
  operationName: z.nullish(z.string()),
});

/** Throws HTTP errors. */
function parseParameters(event: APIGatewayProxyEventV2) {
  if (event.requestContext.http.method !== 'POST')
    throw httpError(405, 'BAD_REQUEST', 'Subscriptions require POST', { allow: 'POST' });
  const result = parameters.safeParse(parseRequestBody(event));
  if (!result.success)
    throw httpError(400, 'BAD_REQUEST', 'The body must have a query, and may have variables and operationName');
  assertDocumentSize(result.data.query);
  return result.data;
}

function parseDocument(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: MAX_TOKENS });
  } catch (error) {
    throw new DocumentErrors('GRAPHQL_PARSE_FAILED', [error as GraphQLError]);
  }
}
