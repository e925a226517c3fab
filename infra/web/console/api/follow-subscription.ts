import { createClient } from 'graphql-sse';
import * as z from 'zod/mini';
import { findGraphqlError, fromRestError } from './errors.ts';

type Members = Record<string, unknown>;
type Request = { query: string; operationName?: string | null | undefined; variables?: Members };
type Options = {
  headers?: Record<string, string> | (() => Record<string, string>);
  /** It is true if the operation declares `$after` and selects `cursor`, so that streams can continue each other. */
  resumes: boolean;
  fetch?: typeof fetch;
  onReconnecting?: () => void;
  /** Is called with the cursor, or the time, that the stream starts after, and with the time of the service. */
  onConnected?: (after: unknown, now: string) => void;
};

const RECONNECT_MS = 300;
const MAX_RECONNECT_MS = 15_000;
/** Streams that end earlier count as failures. */
const MIN_STREAM_MS = 1000;

/**
 * Returns the results of a subscription over server-sent events. The service ends each stream after a while: the next one
 * then resumes after the last change received or, before the first one, at the time of the first stream. Throws a
 * StreamRejected if the service does not start it.
 */
export function followSubscription(url: string, { query, operationName, variables }: Request, options: Options) {
  const { headers = {}, resumes, fetch = globalThis.fetch, onReconnecting, onConnected } = options;
  const request = { query, ...(operationName ? { operationName } : {}), variables: { ...variables } };
  let failures = 0;
  let connectedAt = Number.POSITIVE_INFINITY;
  let rejected: StreamRejected | undefined;
  let now = '';
  const client = createClient({
    url,
    headers,
    retryAttempts: Number.POSITIVE_INFINITY,
    // The default waits longer after each stream without results, even if none of them failed.
    retry: async () => {
      if (rejected && !rejected.isTemporary) throw rejected;
      if (performance.now() - connectedAt >= MIN_STREAM_MS) failures = 0;
      connectedAt = Number.POSITIVE_INFINITY;
      const backoff = Math.min(RECONNECT_MS * 2 ** failures, MAX_RECONNECT_MS);
      await new Promise((resolve) => setTimeout(resolve, Math.max(backoff, rejected?.retryAfterMs ?? 0)));
    },
    on: {
      connecting: (isReconnecting) => {
        failures += 1;
        if (isReconnecting) onReconnecting?.();
      },
      connected: () => {
        connectedAt = performance.now();
        onConnected?.(request.variables.after, now);
      },
      message: ({ data }) => {
        failures = 0;
        const cursor = findCursor(data);
        if (resumes && cursor) request.variables.after = cursor;
      },
    },
    fetchFn: async (...fetchRequest: Parameters<typeof fetch>) => {
      rejected = undefined;
      const response = await fetch(...fetchRequest);
      now = readServerTime(response);
      if (!response.ok) {
        rejected = await StreamRejected.read(response);
        return response;
      }
      if (resumes) request.variables.after ??= now;
      return delayEnd(response);
    },
  });
  return client.iterate<Members, Members>(request);
}

const readServerTime = ({ headers }: Response) => new Date(headers.get('date') ?? Date.now()).toISOString();

const result = z.object({ data: z.record(z.string(), z.object({ cursor: z.string() })) });

/** Returns the cursor of the change in a result, if the operation selects it. */
export function findCursor(received: unknown): string | undefined {
  const [change] = Object.values(result.safeParse(received).data?.data ?? {});
  return change?.cursor;
}

/** These tell of too many streams, or of a service that is not ready. */
const TEMPORARY = [429, 502, 503, 504];

/** The service answers a subscription with errors instead of a stream. */
export class StreamRejected extends Error {
  override name = 'StreamRejected';
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs: number;

  private constructor({ status, headers }: Response, body: unknown) {
    super((findGraphqlError(body) ?? fromRestError(status, body)).message);
    this.status = status;
    this.body = body;
    this.retryAfterMs = Number(headers.get('retry-after') ?? 0) * 1000;
  }

  static async read(response: Response): Promise<StreamRejected> {
    return new StreamRejected(response, await response.json().catch(() => undefined));
  }

  get isTemporary(): boolean {
    return TEMPORARY.includes(this.status);
  }
}

/**
 * Ends the response's body a moment after its last chunk: graphql-sse notices the end of a stream only while it
 * waits for a message, and would wait for ever for the next one.
 */
function delayEnd(response: Response): Response {
  const flush = () => new Promise<void>((resolve) => setTimeout(resolve));
  return new Response(response.body?.pipeThrough(new TransformStream({ flush })), response);
}
