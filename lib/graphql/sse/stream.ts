import type { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { REQUEST_TIME_LIMIT_MS, withDeadline } from '../../dynamodb/deadline.ts';
import { toServiceError } from '../../errors.ts';
import { logError } from '../../log.ts';
import { formatError } from '../errors.ts';
import { RequestError } from './request-error.ts';
import { type ReleaseSlot, acquireSlot } from './stream-limit.ts';
import { sendEvents } from './send-events.ts';
import { subscribeTo } from './subscribe.ts';

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache, no-transform' };

/** A stream's longest life, in seconds: Lambda never learns that a client has left. */
const LEASE = Number(process.env.STREAM_SECONDS ?? 90);

/** How many streams all environments together may keep open. */
const MAX_STREAMS = Number(process.env.MAX_STREAMS ?? 100);

type Respond = (statusCode: number, headers: Record<string, string>) => Writable;

/** Answers a request for an event stream: with the stream, or with the errors that keep it from opening. */
export async function stream(event: APIGatewayProxyEventV2, respond: Respond): Promise<void> {
  const over = new AbortController();
  let results: AsyncGenerator<ExecutionResult>;
  let release: ReleaseSlot | undefined;
  try {
    results = await withDeadline(REQUEST_TIME_LIMIT_MS, () => subscribeTo(event, over.signal));
    release = await withDeadline(REQUEST_TIME_LIMIT_MS, () => acquireSlot(MAX_STREAMS, LEASE));
    if (!release) throw unavailable(`All ${MAX_STREAMS} streams are in use; please try again later`, 10);
  } catch (error) {
    return refuse(error, respond);
  }
  const body = respond(200, EVENT_STREAM);
  try {
    await sendEvents(present(results), body, LEASE);
  } catch (error) {
    // The client connects again with its last cursor.
    logError(error);
  } finally {
    over.abort();
    body.end();
    await release().catch((error) => logError(error));
  }
}

async function* present(results: AsyncGenerator<ExecutionResult>): AsyncGenerator<ExecutionResult> {
  for await (const { errors, ...result } of results)
    yield errors
      ? { ...result, errors: errors.map((error) => shown(error, 'INTERNAL_SERVER_ERROR')) as never }
      : result;
}

/** As Apollo would show it: with a code, and nothing of a fault. */
const shown = (error: GraphQLError, code: string) =>
  formatError({ ...error.toJSON(), extensions: { code, ...error.extensions } }, error);

type Http = { status?: number; headers?: Map<string, string> };

const unavailable = (message: string, seconds: number) =>
  new GraphQLError(message, {
    extensions: {
      code: 'SERVICE_UNAVAILABLE',
      http: { status: 503, headers: new Map([['retry-after', String(seconds)]]) },
    },
  });

function refuse(error: unknown, respond: Respond): void {
  const { errors, status, code } =
    error instanceof RequestError ? error : new RequestError(500, 'INTERNAL_SERVER_ERROR', [shownAs(error)]);
  const http: Http = errors[0]?.extensions.http ?? {};
  const headers = { 'content-type': 'application/json; charset=utf-8', ...Object.fromEntries(http.headers ?? []) };
  respond(http.status ?? status, headers).end(JSON.stringify({ errors: errors.map((each) => shown(each, code)) }));
}

function shownAs(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const known = toServiceError(error);
  if (known?.code === 'SERVICE_UNAVAILABLE') return unavailable(known.message, 1);
  return new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) });
}
