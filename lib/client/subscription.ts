import { createParser } from 'eventsource-parser';
import { createError, findGraphqlError, ServiceError, toServiceError } from './errors.ts';
import { backOff, isTemporary, pause, type Transport } from './transport.ts';

export type Subscription = {
  url: string;
  query: string;
  variables: Record<string, unknown>;
  signal?: AbortSignal | undefined;
  maxPauseMs?: number | undefined;
  /** A stream that the service ended, or that broke, is about to be opened again. */
  onReconnect?: (() => void) | undefined;
};

/** The service sends a comment every 12 seconds: a stream that has been silent for longer is broken. */
const SILENCE_MS = 30_000;

/**
 * Follows a subscription whose field has a cursor, for ever: the service ends each stream after a while, and each next one
 * resumes after the last change or, before the first one, at the time of the first stream. Ends when the signal is aborted;
 * throws what the service rejects for good.
 */
export async function* followSubscription<Change extends { cursor: string }>(
  { open }: Pick<Transport, 'open'>,
  { url, query, variables, signal, maxPauseMs = 15_000, onReconnect }: Subscription,
): AsyncGenerator<Change, void, undefined> {
  let after = variables.after;
  for (let failures = 0; !signal?.aborted; ) {
    try {
      const body = { query, variables: { ...variables, after } };
      const response = await open({ method: 'POST', url, headers: { accept: 'text/event-stream' }, body, signal });
      if (!response.ok || !response.body) throw createError(response, await response.json().catch(() => undefined));
      // Changes between this stream and the next one must not be lost, even if this one ends before its first event.
      after ??= readTime(response);
      for await (const change of readChanges<Change>(response.body)) {
        failures = 0;
        after = change.cursor;
        yield change;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof ServiceError && !isTemporary(error)) throw error;
      failures += 1;
      const retryAfterMs = error instanceof ServiceError ? error.retryAfterMs : undefined;
      await pause(backOff(failures, maxPauseMs, retryAfterMs), signal).catch(() => {});
    }
    if (!signal?.aborted) onReconnect?.();
  }
}

const readTime = ({ headers }: Response) => new Date(headers.get('date') ?? Date.now()).toISOString();

/** The results of one stream. Ends as the stream does, or when it has been silent for too long; throws if it breaks. */
async function* readChanges<Change>(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const received: string[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => event === 'next' && received.push(data) });
  try {
    for (;;) {
      const timer = setTimeout(() => reader.cancel(), SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const data of received.splice(0)) yield readChange<Change>(JSON.parse(data));
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** A subscription has one field. */
function readChange<Change>(result: { data?: Record<string, Change> | null }): Change {
  const error = findGraphqlError(result);
  if (error) throw toServiceError(error);
  const [change] = Object.values(result.data ?? {});
  if (!change) throw new ServiceError(200, 'The result has no data', { code: 'UNEXPECTED_ANSWER' });
  return change;
}
