import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { toQuotaKey } from '../../../auth/caller.ts';
import { withDeadline } from '../../../dynamodb/requests.ts';
import { environment } from '../../../environment.ts';
import { ServiceError, SlowClient } from '../../../errors.ts';
import { type Access, listRights } from '../../../graphql/authenticate.ts';
import { httpError, toGraphqlResponse } from '../../../graphql/errors.ts';
import type { GraphqlResponse } from '../../../graphql/write-body.ts';
import { logFailure } from '../../../log.ts';
import type { AcquireSlot, ReleaseSlot } from './stream-limit.ts';
import { type Events, executeSubscription } from './subscription.ts';

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store, no-transform' };

export type StreamHost = { connection: AbortController; acquireSlot: AcquireSlot };

/** Answers with JSON if the subscription cannot start. Aborts `connection` when the stream or its token expires. */
export async function handleSse(
  event: APIGatewayProxyEventV2,
  access: Access,
  { connection, acquireSlot }: StreamHost,
): Promise<GraphqlResponse> {
  const streamSeconds = limitSeconds(access);
  const timer = setTimeout(() => connection.abort(), streamSeconds * 1000);
  try {
    const { events, start } = await withDeadline(environment.requestTimeLimitMs, () =>
      executeSubscription(event, access, connection),
    );
    const releaseSlot = await withDeadline(environment.requestTimeLimitMs, () =>
      requireSlot(event, access, acquireSlot, streamSeconds),
    );
    const release = () => {
      clearTimeout(timer);
      return releaseSlot();
    };
    const headers = { ...EVENT_STREAM, 'stream-cursor': start };
    return { statusCode: 200, headers, body: streamEvents(events, connection, release) };
  } catch (error) {
    clearTimeout(timer);
    connection.abort();
    return toGraphqlResponse(error);
  }
}

const limitSeconds = ({ expiresAt = Number.POSITIVE_INFINITY }: Access): number =>
  Math.min(environment.maxStreamSeconds, Math.max(0, (expiresAt - environment.now()) / 1000));

const mayOnlyFollowSelf = (access: Access): boolean =>
  listRights(access).every((right) => right === 'self' || right === 'group');

/** Throws TOO_MANY_REQUESTS if the caller has no free stream, SERVICE_UNAVAILABLE if the service has none. */
async function requireSlot(
  event: APIGatewayProxyEventV2,
  access: Access,
  acquireSlot: AcquireSlot,
  streamSeconds: number,
): Promise<ReleaseSlot> {
  const { maxStreams: total } = environment;
  const perCaller = mayOnlyFollowSelf(access) ? 1 : environment.maxStreamsPerCaller;
  const limits = { total, perCaller };
  const { releaseSlot, exceeded } = await acquireSlot(
    toQuotaKey(event, access.caller),
    limits,
    Math.ceil(streamSeconds),
  );
  if (releaseSlot) return releaseSlot;
  const [status, code, limit, message] =
    exceeded === 'perCaller'
      ? [429, 'TOO_MANY_REQUESTS', perCaller, `${perCaller} of your ${perCaller} streams are open; please end one`]
      : [503, 'SERVICE_UNAVAILABLE', total, `${total} of ${total} streams are open; please try again later`];
  throw httpError(status, code, message, { 'retry-after': '10' }, { limit });
}

async function* streamEvents(
  events: Events,
  connection: AbortController,
  releaseSlot: ReleaseSlot,
): AsyncGenerator<string | Uint8Array> {
  const stop = connection.signal;
  try {
    yield* formatEvents(events, stop);
  } catch (error) {
    if (error instanceof SlowClient) connection.abort(error);
    // The caller has lost the right to the stream. The client gets the reason when it reconnects.
    else if (error instanceof ServiceError && error.code === 'FORBIDDEN') connection.abort();
    else logFailure(error, { stream: 'interrupted' });
  } finally {
    // A slow client is not an error: the client reconnects with its last cursor.
    if (stop.reason instanceof SlowClient) console.info({ event: 'slow-client' });
    // Do not await, because the next event may take long.
    events.return(undefined).catch(() => undefined);
    await releaseSlot().catch((error) => logFailure(error, { stream: 'slot not released' }));
  }
}

const PING = ':\n\n';
/** Interval of pings, which keep proxies from closing an idle stream. */
const PING_INTERVAL_MS = 12_000;

/**
 * Formats events in the "distinct connections mode" of graphql-sse, with pings. A stopped stream ends without
 * `complete`, so clients reconnect. https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
async function* formatEvents(events: Events, stop: AbortSignal): AsyncGenerator<string | Uint8Array> {
  const pace = createPace(stop);
  // The first write sends status and headers.
  yield PING;
  let next = events.next();
  for (;;) {
    next.catch(() => undefined); // A stopped stream no longer awaits `next`: prevent an unhandled rejection.
    const result = await waitFor(next, PING_INTERVAL_MS, stop);
    if (stop.aborted) return;
    if (!result) {
      yield PING;
    } else if (result.done) {
      yield 'event: complete\ndata:\n\n';
      return;
    } else {
      for (const chunk of result.value) {
        yield chunk;
        await pace(chunk.length);
        if (stop.aborted) return;
      }
      next = events.next();
    }
  }
}

const BYTES_PER_SECOND = 1_000_000;
const BURST_MS = 1_000;

function createPace(stop: AbortSignal): (bytes: number) => Promise<void> {
  let paidUntil = 0;
  return async (bytes) => {
    const now = environment.elapsed();
    paidUntil = Math.max(paidUntil, now) + (bytes / BYTES_PER_SECOND) * 1_000;
    const ms = paidUntil - now - BURST_MS;
    if (ms > 0) await sleep(ms, undefined, { signal: stop }).catch(() => undefined);
  };
}

async function waitFor<Result>(promise: Promise<Result>, ms: number, stop: AbortSignal): Promise<Result | undefined> {
  const settled = new AbortController();
  const pause = sleep(ms, undefined, { signal: AbortSignal.any([stop, settled.signal]) }).catch(() => undefined);
  return Promise.race([promise, pause]).finally(() => settled.abort());
}
