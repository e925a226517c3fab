import { createParser, type EventSourceMessage } from 'eventsource-parser';
import {
  ClientError,
  findGraphqlError,
  readServiceTime,
  rejectOptions,
  toClientError,
  unexpectedAnswer,
} from './errors.ts';
import {
  backOff,
  type GraphqlText,
  isTemporary,
  parseJson,
  pause,
  type Signal,
  type Transport,
  toSendError,
} from './transport.ts';

export type Operation = {
  query: GraphqlText;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | undefined;
};

/** An error that a callback throws ends the iteration. */
export type Following = Signal & {
  /** Called before reopening a stream that ended or broke. */
  onReconnect?: (() => void) | undefined;
  /** `after` is the cursor or time at which the stream starts, `now` the service's time. */
  onConnect?: ((after: string, now: string) => void) | undefined;
  /** Called if a stream could not be opened or broke. The client retries. */
  onWait?: ((reason: ClientError) => void) | undefined;
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
  { signal, onReconnect, onConnect, onWait, resumes, ...others }: Following & { resumes: boolean },
): AsyncGenerator<Result, void, undefined> {
  rejectOptions(others);
  let after = variables?.after;
  let failures = 0;
  while (!signal?.aborted) {
    const body = {
      query,
      operationName: operationName ?? undefined,
      variables: { ...variables, ...(after ? { after } : {}) },
    };
    const request = { method: 'POST', url, headers: { accept: 'text/event-stream' }, body, signal };
    const response = await open(request).catch((error: unknown) => {
      if (error instanceof ClientError && isTemporary(error)) return error;
      if (signal?.aborted) return undefined;
      throw error;
    });
    if (!response || signal?.aborted) return;
    const openedAt = Date.now();
    let failure: ClientError | undefined;
    if (response instanceof ClientError) failure = response;
    else
      try {
        if (!response.body || !isEventStream(response)) throw unexpectedAnswer(response, undefined);
        const now = new Date(readServiceTime(response.headers)).toISOString();
        // Remembers the start, so that no changes are lost if the stream ends before its first event. If a proxy drops
        // the header, the start is `now` in whole seconds: changes of that second may arrive again. A later stream's
        // header renews a cursor that would expire while nothing changes.
        if (resumes) after = response.headers.get('stream-cursor') ?? after ?? now;
        onConnect?.(String(after ?? now), now);
        for await (const message of readEvents(response.body)) {
          // One chunk may contain several events.
          if (signal?.aborted) return;
          if (message instanceof ClientError) failure = message;
          else if (message.event === 'complete') return;
          else if (message.event === 'next') {
            failures = 0;
            const result = parseResult(message.data, response);
            if (resumes) after = findCursor(result) ?? after;
            yield result;
          }
        }
      } finally {
        await response.body?.cancel().catch(() => {});
      }
    failures = failure || Date.now() - openedAt < MIN_STREAM_MS ? failures + 1 : 0;
    if (failure) onWait?.(failure);
    if (failures > 0) await pause(backOff(failures, maxPauseMs, failure?.retryAfterMs), signal).catch(() => {});
    if (!signal?.aborted) onReconnect?.();
  }
}

/** Login pages of proxies are HTML with status 200. Some proxies drop the header. */
const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? true;

function parseResult(data: string, response: Response): Result {
  const result = parseJson(data);
  if (typeof result === 'object' && result !== null) return result;
  throw unexpectedAnswer(response, data);
}

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

/** Ends with the stream or after SILENCE_MS. Yields an error if the stream breaks. */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<EventSourceMessage | ClientError, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const received: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => received.push(event) });
  try {
    for (;;) {
      const timer = setTimeout(() => reader.cancel().catch(() => {}), SILENCE_MS);
      const read = await reader
        .read()
        .catch((error: unknown) => toSendError('UNREACHABLE', 'The stream broke off', error))
        .finally(() => clearTimeout(timer));
      if (read instanceof ClientError) yield read;
      if (read instanceof ClientError || read.done) return;
      parser.feed(decoder.decode(read.value, { stream: true }));
      yield* received.splice(0);
    }
  } finally {
    reader.releaseLock();
  }
}
