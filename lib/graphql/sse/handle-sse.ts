import type { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import { identifyClient } from '../../auth/caller.ts';
import { REQUEST_TIME_LIMIT_MS, withDeadline } from '../../dynamodb/deadline.ts';
import { logFailure } from '../../log.ts';
import type { Access } from '../authenticate.ts';
import { toErrorResponse } from '../error-response.ts';
import { formatGraphqlError } from '../format-error.ts';
import { requestError } from '../request-error.ts';
import { executeSubscription } from './execute-subscription.ts';
import { sendEvents } from './send-events.ts';
import { acquireSlot, type ReleaseSlot } from './stream-limit.ts';

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache, no-transform' };

/** A time limit, because Lambda is never told that a client has left. */
const MAX_STREAM_SECONDS = Number(process.env.STREAM_SECONDS ?? 90);

/** They count the open streams of all execution environments. */
const MAX_STREAMS = Number(process.env.MAX_STREAMS ?? 100);
const MAX_STREAMS_PER_CALLER = Number(process.env.MAX_STREAMS_PER_CALLER ?? Math.ceil(MAX_STREAMS / 2));

type Respond = (statusCode: number, headers: Record<string, string>) => Writable;

/** Answers with an event stream, or with errors in JSON if the subscription cannot start. */
export async function handleSse(event: APIGatewayProxyEventV2, access: Access, respond: Respond): Promise<void> {
  const stop = new AbortController();
  let results: AsyncGenerator<ExecutionResult>;
  let releaseSlot: ReleaseSlot;
  try {
    results = await withDeadline(REQUEST_TIME_LIMIT_MS, () => executeSubscription(event, access, stop.signal));
    releaseSlot = await withDeadline(REQUEST_TIME_LIMIT_MS, () => requireSlot(event, access));
  } catch (error) {
    const { statusCode, headers, body } = toErrorResponse(error);
    respond(statusCode, headers).end(body);
    return;
  }
  const body = respond(200, EVENT_STREAM);
  try {
    await sendEvents(formatErrors(results), body, MAX_STREAM_SECONDS);
  } catch (error) {
    // The client reconnects with its last cursor.
    logFailure(error, { stream: 'interrupted' });
  } finally {
    stop.abort();
    body.end();
    await releaseSlot().catch((error) => logFailure(error, { stream: 'slot not released' }));
  }
}

/** Throws SERVICE_UNAVAILABLE: 429 if the caller has its share of the streams, 503 if all are taken. */
async function requireSlot(event: APIGatewayProxyEventV2, { caller }: Access): Promise<ReleaseSlot> {
  const limits = { total: MAX_STREAMS, perCaller: MAX_STREAMS_PER_CALLER };
  const { releaseSlot, exceeded } = await acquireSlot(identifyClient(event, caller), limits, MAX_STREAM_SECONDS);
  if (releaseSlot) return releaseSlot;
  const [status, message] =
    exceeded === 'perCaller'
      ? [429, `You have ${MAX_STREAMS_PER_CALLER} open streams, as many as a caller can have; please end one`]
      : [503, `All ${MAX_STREAMS} streams are in use; please try again later`];
  throw requestError(status, 'SERVICE_UNAVAILABLE', message, { 'retry-after': '10' });
}

async function* formatErrors(results: AsyncGenerator<ExecutionResult>): AsyncGenerator<FormattedExecutionResult> {
  for await (const { errors, ...result } of results)
    yield errors ? { ...result, errors: errors.map((error) => formatGraphqlError(error)) } : result;
}
