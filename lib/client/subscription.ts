import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ClientError, createError, findGraphqlError, readServiceTime, toClientError } from './errors.ts';
import { backOff, isTemporary, pause, type Transport } from './transport.ts';

export type Operation = {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | undefined;
};

export type Following = {
  signal?: AbortSignal | undefined;
  /** A stream that the service ended, or that broke, is about to be opened again. */
  onReconnect?: (() => void) | undefined;
  /** A stream is open, from a cursor or a time on. `now` is the time of the service. */
  onConnect?: ((after: string, now: string) => void) | undefined;
  /** A stream could not be opened, or broke, because of this; it is tried again. */
  onWait?: ((reason: Error) => void) | undefined;
};

/** A subscription gives many of these. */
export type Result = { data?: Record<string, { cursor?: string }> | null; errors?: { message: string }[] };

/** The service sends a comment every 12 seconds: a stream that has been silent for longer is broken. */
const SILENCE_MS = 30_000;
/** A stream that ends earlier counts as a failure, so that pauses become longer. */
const MIN_STREAM_MS = 1_000;

/**
 * Follows a subscription for ever: the service ends each stream after a while. If the operation declares `$after` and selects
 * `cursor`, as `resumes` says, the next stream continues after the last change or, before the first one, where the first stream
 * started. Ends when the signal is aborted, or the service completes it; throws what the service rejects for good.
 */
export async function* followResults(
  { open, maxPauseMs }: Pick<Transport, 'open' | 'maxPauseMs'>,
  url: string,
  { query, operationName, variables }: Operation,
  { signal, onReconnect, onConnect, onWait, resumes }: Following & { resumes: boolean },
): AsyncGenerator<Result, void, undefined> {
  let after = variables?.after;
  for (let failures = 0; !signal?.aborted; onReconnect?.()) {
    try {
      const body = {
        query,
        operationName: operationName ?? undefined,
        variables: { ...variables, ...(after ? { after } : {}) },
      };
      const response = await open({ method: 'POST', url, headers: { accept: 'text/event-stream' }, body, signal });
      if (!response.ok || !response.body) throw createError(response, await response.json().catch(() => undefined));
      const openedAt = Date.now();
      const now = new Date(readServiceTime(response.headers)).toISOString();
      // Changes between this stream and the next one must not be lost, even if this one ends before its first event.
      // A proxy may drop the cursor. Times in headers are whole seconds: earlier changes of that second would arrive again.
      if (resumes) after ??= response.headers.get('stream-cursor') ?? now;
      onConnect?.(String(after ?? now), now);
      for await (const { event, data } of readEvents(response.body)) {
        if (event === 'complete') return;
        if (event !== 'next') continue;
        failures = 0;
        const result: Result = JSON.parse(data);
        if (resumes) after = findCursor(result) ?? after;
        yield result;
      }
      failures = Date.now() - openedAt < MIN_STREAM_MS ? failures + 1 : 0;
      if (failures > 0) await pause(backOff(failures, maxPauseMs), signal).catch(() => {});
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof ClientError && !isTemporary(error)) throw error;
      failures += 1;
      if (error instanceof Error) onWait?.(error);
      const retryAfterMs = error instanceof ClientError ? error.retryAfterMs : undefined;
      await pause(backOff(failures, maxPauseMs, retryAfterMs), signal).catch(() => {});
    }
  }
}

/** Returns the cursor of the change in a result, if the operation selects it. A subscription has one field. */
export const findCursor = ({ data }: Result): string | undefined => Object.values(data ?? {})[0]?.cursor;

/** Follows the changes that a subscription has in its field. Throws the errors of results, too. */
export async function* followChanges<Change>(
  transport: Transport,
  url: string,
  operation: Operation,
  following: Following,
): AsyncGenerator<Change, void, undefined> {
  for await (const result of followResults(transport, url, operation, { ...following, resumes: true })) {
    const error = findGraphqlError(result);
    if (error) throw toClientError(error);
    // A result without errors has its field.
    yield Object.values(result.data ?? {})[0] as Change;
  }
}

/** The events of one stream. Ends as the stream does, or when it has been silent for too long; throws if it breaks. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<EventSourceMessage, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const received: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => received.push(event) });
  try {
    for (;;) {
      const timer = setTimeout(() => reader.cancel(), SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* received.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
