import type { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
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

/** Counts the open streams of all execution environments. */
const MAX_STREAMS = Number(process.env.MAX_STREAMS ?? 100);

type Respond = (statusCode: number, headers: Record<string, string>) => Writable;

/** Answers with an event stream, or with errors in JSON if the subscription cannot start. */
export async function handleSse(event: APIGatewayProxyEventV2, access: Access, respond: Respond): Promise<void> {
  const stop = new AbortController();
  let results: AsyncGenerator<ExecutionResult>;
  let releaseSlot: ReleaseSlot;
  try {
    results = await withDeadline(REQUEST_TIME_LIMIT_MS, () => executeSubscription(event, access, stop.signal));
    releaseSlot = await withDeadline(REQUEST_TIME_LIMIT_MS, requireSlot);
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

async function requireSlot(): Promise<ReleaseSlot> {
  const releaseSlot = await acquireSlot(MAX_STREAMS, MAX_STREAM_SECONDS);
  if (releaseSlot) return releaseSlot;
  const message = `All ${MAX_STREAMS} streams are in use; please try again later`;
  throw requestError(503, 'SERVICE_UNAVAILABLE', message, { 'retry-after': '10' });
}

async function* formatErrors(results: AsyncGenerator<ExecutionResult>): AsyncGenerator<FormattedExecutionResult> {
  for await (const { errors, ...result } of results)
    yield errors ? { ...result, errors: errors.map((error) => formatGraphqlError(error)) } : result;
}
