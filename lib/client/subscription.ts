import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ClientError, findGraphqlError, readServiceTime, toClientError, unexpectedAnswer } from './errors.ts';
import { backOff, isTemporary, pause, type Signal, type Transport } from './transport.ts';

export type Operation = {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | undefined;
};

export type Following = Signal & {
  /** Called before reopening a stream that ended or broke. */
  onReconnect?: (() => void) | undefined;
  /** `after` is the cursor or time at which the stream starts, `now` the service's time. */
  onConnect?: ((after: string, now: string) => void) | undefined;
  /** Called if a stream could not be opened or broke. The client retries. */
  onWait?: ((reason: Error) => void) | undefined;
};

export type Result = { data?: Record<string, { cursor?: string }> | null; errors?: { message: string }[] };

/** A stream is broken if it is silent for this long: the service sends a comment every 12 seconds. */
const SILENCE_MS = 30_000;
/** A shorter stream counts as a failure, so that pauses become longer. */
const MIN_STREAM_MS = 1_000;

/**
 * Follows a subscription until the signal is aborted or the service completes it. Throws permanent errors. If `resumes`
 * is set, the operation must declare `$after` and select `cursor`: the next stream continues after the last change, or
 * where the last stream started.
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
      if (!response.body || !isEventStream(response)) throw unexpectedAnswer(response, undefined);
      const openedAt = Date.now();
      const now = new Date(readServiceTime(response.headers)).toISOString();
      // Remembers the start, so that no changes are lost if the stream ends before its first event. If a proxy drops
      // the header, the start is `now` in whole seconds: changes of that second may arrive again. A later stream's
      // header renews a cursor that would expire while nothing changes.
      if (resumes) after = response.headers.get('stream-cursor') ?? after ?? now;
      onConnect?.(String(after ?? now), now);
      for await (const { event, data } of readEvents(response.body)) {
        // One chunk may contain several events.
        if (signal?.aborted) return;
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

/** Login pages of proxies are HTML with status 200. Some proxies drop the header. */
const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? true;

/** Undefined unless the operation selects `cursor`. */
export const findCursor = ({ data }: Result): string | undefined => Object.values(data ?? {})[0]?.cursor;

export async function* followChanges<Change>(
  transport: Transport,
  url: string,
  operation: Operation,
  following: Following,
): AsyncGenerator<Change, void, undefined> {
  for await (const result of followResults(transport, url, operation, { ...following, resumes: true })) {
    const error = findGraphqlError(result);
    if (error) throw toClientError(error);
    // A result without errors has the subscription's one root field.
    yield Object.values(result.data ?? {})[0] as Change;
  }
}

/** Ends with the stream or after SILENCE_MS. Throws if the stream breaks. */
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
