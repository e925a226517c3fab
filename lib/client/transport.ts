import {
  ClientError,
  createError,
  type ErrorCode,
  findGraphqlError,
  findRequestId,
  markRetried,
  parseVersion,
  toClientError,
  unexpectedAnswer,
} from './errors.ts';

/** Signs with Signature Version 4, like the AwsClient of aws4fetch. */
export type Signer = { sign(url: string, init: RequestInit): Promise<Request> };

/** A bearer token, a function that returns the current token, or a signer. */
export type Auth = string | (() => string | undefined | Promise<string | undefined>) | Signer;

export type Retries = {
  /** Attempts per request, including the first. Default: 5. */
  maxAttempts?: number | undefined;
  /** Pauses grow from 200 ms to this value. Default: 20,000. Retry-After is added, up to a minute. */
  maxPauseMs?: number | undefined;
};

export type Signal = { signal?: AbortSignal | undefined };

export type TransportOptions = {
  auth?: Auth | undefined;
  /** Replaces the global `fetch`. A rejection counts as an unreachable service, and is retried, unless a ClientError. */
  fetch?: typeof fetch | undefined;
  retries?: Retries | undefined;
  /** Time limit of each attempt, in ms. Default: 30,000. Infinity disables it. Streams must open within this time. */
  timeoutMs?: number | undefined;
};

export type HttpRequest = Signal & {
  method: string;
  url: string;
  headers?: Record<string, string> | undefined;
  body?: unknown;
  idempotent?: boolean;
};

export type GraphqlOptions = Signal & {
  /** Retries a mutation like a query. Set it only if repeating is safe, for example with an idempotency key. */
  idempotent?: boolean | undefined;
};

type GraphqlOperation<Data, Variables> = {
  query: TypedDocument<Data, Variables>;
  variables?: Variables | undefined;
};

export type HttpResponse = {
  body: unknown;
  headers: Headers;
  version: number | undefined;
  /** An earlier attempt may have taken effect although its answer was lost. */
  isRetried: boolean;
};

/** A string, or a TypedDocumentString of GraphQL Code Generator. */
// biome-ignore lint/complexity/noBannedTypes: TypedDocumentString extends String.
export type GraphqlText = String;

// A test validates the documents that are exported under a name that ends in `Document`.
/** A GraphQL document with the types of its result and variables. */
export type TypedDocument<Data, Variables> = GraphqlText & {
  /** Exists only in types. GraphQL Code Generator uses this name, too. */
  __apiType?: (variables: Variables) => Data;
};

export type Transport = ReturnType<typeof createTransport>;

const FIRST_PAUSE_MS = 200;

/** A call fails at once if Retry-After is as long. A subscription retries after this time. */
const MAX_RETRY_AFTER_MS = 60_000;

const TEMPORARY = ['UNREACHABLE', 'TIMEOUT', 429, 502, 503, 504];

export const isTemporary = ({ code, status }: ClientError): boolean =>
  TEMPORARY.includes(code) || TEMPORARY.includes(status);

/**
 * The gateway has rejected the request before any function ran, so a retry is safe even if not idempotent. Other
 * mutations of a GraphQL request may have taken effect.
 */
const isThrottled = ({ status, body }: ClientError): boolean => status === 429 && !findGraphqlError(body);

const DEFAULT_TIMEOUT_MS = 30_000;
/** Longest delay of a timer. Timers with a longer one fire immediately. */
const MAX_TIMER_MS = 2_147_483_647;

/** The signal of `run` aborts after `ms` (throws TIMEOUT) or together with `signal`. */
export async function limitTime<Result>(
  ms: number,
  signal: AbortSignal | null | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const timeout = new AbortController();
  const limited = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
  let onAbort = () => {};
  // Callers' functions may ignore the signal.
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(limited.reason);
  });
  limited.addEventListener('abort', onAbort);
  const timer = setTimeout(() => timeout.abort(new DOMException('', 'TimeoutError')), Math.min(ms, MAX_TIMER_MS));
  try {
    return await Promise.race([run(limited), aborted]);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (!timeout.signal.aborted) throw error;
    throw new ClientError(0, `The service did not answer within ${ms / 1000} seconds`, {
      code: 'TIMEOUT',
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    limited.removeEventListener('abort', onAbort);
  }
}

/** Throws the signal's reason if the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Returns the pause before the next attempt: Retry-After (limited), plus 50 to 100 % of an exponential pause. The
 * jitter spreads clients that failed together.
 */
export const backOff = (failures: number, maxPauseMs: number, retryAfterMs = 0): number =>
  Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) +
  Math.min(maxPauseMs, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);

export function createTransport({
  auth,
  fetch: ownFetch,
  retries = {},
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: TransportOptions) {
  const { maxAttempts = 5, maxPauseMs = 20_000 } = retries;
  const send = ownFetch ?? globalThis.fetch;
  /** The caller's `fetch` may resolve relative URLs. */
  const base = ownFetch && 'http://localhost';

  /** The time limit includes `read`. Throws UNREACHABLE without a response. */
  async function attempt<Result>(
    { method, url, headers, body, signal }: HttpRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const token = await readToken(signal);
    const init = prepare(() => {
      const init = {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        cache: 'no-store' as const,
      };
      checkArguments(url, init, base);
      return init;
    });
    return limitTime(timeoutMs, signal, async (limited) => {
      const request = { ...init, signal: limited };
      const signed = typeof auth === 'object' ? await authenticate(() => sign(auth, url, request)) : undefined;
      const sent = prepare(() => (signed ? send(signed) : send(url, request)));
      const response = await sent.catch((error: unknown) => {
        throw toSendError('UNREACHABLE', 'The service cannot be reached', error);
      });
      return read(response);
    });
  }

  /** `timeoutMs` does not limit the call of `auth`, because people may have to sign in first. */
  async function readToken(signal: AbortSignal | undefined): Promise<string | undefined> {
    if (typeof auth !== 'function' && typeof auth !== 'string') return undefined;
    const read = async () => requireToken(typeof auth === 'function' ? await auth() : auth);
    return limitTime(Number.POSITIVE_INFINITY, signal, () => authenticate(read));
  }

  /** Opens a stream. */
  const open = (request: HttpRequest): Promise<Response> =>
    attempt(request, async (response) => {
      if (!response.ok) throw createError(response, await response.json().catch(() => undefined));
      return response;
    });

  async function request({ idempotent = true, ...request }: HttpRequest, read = readResponse): Promise<HttpResponse> {
    for (let attempts = 1; ; attempts++)
      try {
        return { ...(await attempt(request, read)), isRetried: attempts > 1 };
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        const { retryAfterMs = 0 } = error;
        const mayResend = idempotent ? isTemporary(error) : isThrottled(error);
        if (!mayResend || !(attempts < maxAttempts) || retryAfterMs >= MAX_RETRY_AFTER_MS)
          throw attempts > 1 ? markRetried(error) : error;
        await pause(backOff(attempts, maxPauseMs, retryAfterMs), request.signal);
      }
  }

  const execute = async <Data, Variables>(
    url: string,
    operation: GraphqlOperation<Data, Variables>,
    options?: GraphqlOptions,
  ): Promise<Data> => (await executeWithRetries(url, operation, options)).data;

  async function executeWithRetries<Data, Variables>(
    url: string,
    operation: GraphqlOperation<Data, Variables>,
    { signal, idempotent = !mayMutate(operation.query) }: GraphqlOptions = {},
  ): Promise<{ data: Data; isRetried: boolean }> {
    const { body, headers, isRetried } = await request(
      { method: 'POST', url, headers: GRAPHQL_HEADERS, body: operation, signal, idempotent },
      readGraphqlResponse,
    );
    if (!isResult<Data>(body)) throw unexpectedAnswer({ status: 200, headers }, body);
    return { data: body.data, isRetried };
  }

  return { open, request, execute, executeWithRetries, maxAttempts, maxPauseMs };
}

/** Returns a function for operations that are safe to retry: queries, and mutations with the same result when repeated. */
export const createSender =
  (url: string, { execute }: Transport) =>
  <Data, Variables>(query: TypedDocument<Data, Variables>, variables: Variables, signal?: AbortSignal): Promise<Data> =>
    execute(url, { query, variables }, { signal, idempotent: true });

const isResult = <Data>(body: unknown): body is { data: Data } =>
  typeof body === 'object' && body !== null && 'data' in body;

export const REST_HEADERS = { accept: 'application/json, application/problem+json' };
const GRAPHQL_HEADERS = { accept: 'application/graphql-response+json, application/json' };

/** Also true for queries that contain the word, which are therefore not retried. */
const mayMutate = (query: GraphqlText): boolean => /\bmutation\b/.test(query.toString());

/** Converts errors of the caller's function to UNAUTHENTICATED, which the client does not retry. */
async function authenticate<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw new ClientError(401, `The credentials are not available: ${String(error)}`, {
      code: 'UNAUTHENTICATED',
      cause: error,
    });
  }
}

/** Does not quote the token, because messages are logged. */
function requireToken(token: string | undefined): string | undefined {
  const text = token?.trim();
  if (text === undefined || /^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
  throw new TypeError('the token contains a character that headers cannot contain');
}

/** Throws for results that `fetch` rejects as if the service were unreachable. */
async function sign(signer: Signer, url: string, init: RequestInit): Promise<Request> {
  const request = await signer.sign(url, init);
  if (typeof request?.url === 'string' && !request.bodyUsed) return request;
  throw new TypeError('sign() must return a new Request');
}

/** Throws for arguments that `fetch` rejects as if the service were unreachable. */
function checkArguments(url: string, init: RequestInit, base: string | undefined): void {
  const request = new Request(base ? new URL(url, base) : url, init);
  if (!/^https?:/.test(request.url)) throw new TypeError(`${url} must begin with http:// or https://`);
}

/** Throws INVALID_REQUEST, which the client does not retry. */
export function prepare<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw toSendError('INVALID_REQUEST', 'The request cannot be sent', error);
  }
}

/** Keeps errors of this client, which the caller's `fetch` may use and throw. */
export function toSendError(code: ErrorCode, what: string, cause: unknown): ClientError {
  if (cause instanceof ClientError) return cause;
  // Node.js names the reason only in the error's cause.
  const reason = cause instanceof Error && cause.cause instanceof Error ? ` (${cause.cause.message})` : '';
  return new ClientError(0, `${what}: ${String(cause)}${reason}`, { code, cause });
}

async function readResponse(response: Response): Promise<Omit<HttpResponse, 'isRetried'>> {
  const text = await response.text().catch((error: unknown) => {
    throw toSendError('UNREACHABLE', 'The answer broke off', error);
  });
  const body = parseJson(text);
  if (!response.ok) throw createError(response, body);
  if (text !== '' && body === undefined) throw unexpectedAnswer(response, text);
  return { body, headers: response.headers, version: parseVersion(response.headers) };
}

/** Resolvers report errors with status 200, even if the database is busy. */
async function readGraphqlResponse(response: Response): ReturnType<typeof readResponse> {
  const answer = await readResponse(response);
  const error = findGraphqlError(answer.body);
  if (error) throw toClientError(error, 200, { body: answer.body, requestId: findRequestId(answer.headers) });
  return answer;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
