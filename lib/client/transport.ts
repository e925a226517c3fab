import { ClientError, createError, findGraphqlError, parseVersion, toClientError, unexpectedAnswer } from './errors.ts';

/** Signs requests with Signature Version 4, as the AwsClient of aws4fetch does. */
export type Signer = { sign(url: string, init: RequestInit): Promise<Request> };

/** A bearer token, a function that returns the current one, or a signer. */
export type Auth = string | (() => string | undefined | Promise<string | undefined>) | Signer;

export type Retries = {
  /** One request is sent so many times at most, the first included; 5 by default. */
  maxAttempts?: number;
  /** Pauses between attempts grow from 200 ms to this; 20,000 ms by default. What Retry-After asks for, up to a minute, comes on top. */
  maxPauseMs?: number;
};

export type TransportOptions = {
  auth?: Auth | undefined;
  fetch?: typeof fetch | undefined;
  retries?: Retries | undefined;
};

export type HttpRequest = {
  method: string;
  url: string;
  headers?: Record<string, string> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
};

export type HttpResponse = {
  body: unknown;
  headers: Headers;
  version: number | undefined;
  /** An earlier attempt may have had its effect although its answer was lost. */
  isRetried: boolean;
};

/** A GraphQL document that knows the types of its data and variables; tools read them from `__types`. */
export type TypedDocument<Data, Variables> = string & { __types?: (variables: Variables) => Data };

/** The types cannot be inferred from the text. A test validates each document with the schema. */
export const defineOperation = <Data, Variables>(text: string): TypedDocument<Data, Variables> => text;

export type Transport = ReturnType<typeof createTransport>;

const FIRST_PAUSE_MS = 200;

/** A call that shall wait for longer fails at once, as its caller waits; a subscription asks again after so long. */
const MAX_RETRY_AFTER_MS = 60_000;

/** These tell that the service is busy, or that the gateway could not reach it. */
const TEMPORARY = [429, 502, 503, 504];

export const isTemporary = ({ status }: ClientError): boolean => status === 0 || TEMPORARY.includes(status);

/** Waits, but not longer than the signal allows: it then throws the reason of the abort. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
 * Returns what Retry-After asks for, within its bounds, and 50 to 100 % of a pause that doubles with each failure: so clients that
 * failed together do not return together, also if all were told one time, and none returns at once.
 */
export const backOff = (failures: number, maxPauseMs: number, retryAfterMs = 0): number =>
  Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) +
  Math.min(maxPauseMs, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);

/** Sends requests, and sends them again while the service is busy or cannot be reached. */
export function createTransport({ auth, fetch: send = globalThis.fetch, retries = {} }: TransportOptions) {
  const { maxAttempts = 5, maxPauseMs = 20_000 } = retries;

  /** Returns the response as it comes. Throws an UNREACHABLE error if there is none. */
  async function open({ method, url, headers, body, signal }: HttpRequest): Promise<Response> {
    const init: RequestInit = {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      cache: 'no-store',
    };
    try {
      if (typeof auth === 'object') return await send(await auth.sign(url, init));
      const token = typeof auth === 'function' ? await auth() : auth;
      const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
      return await send(url, { ...init, headers: { ...init.headers, ...authorization } as Record<string, string> });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw new ClientError(0, `The service cannot be reached: ${String(error)}`, { code: 'UNREACHABLE' });
    }
  }

  async function attempt(request: HttpRequest): Promise<Omit<HttpResponse, 'isRetried'>> {
    const response = await open(request);
    const text = await readText(response, request.signal);
    const body = parseJson(text);
    if (!response.ok) throw createError(response, body);
    if (text !== '' && body === undefined) throw unexpectedAnswer(response.status, text);
    return { body, headers: response.headers, version: parseVersion(response.headers) };
  }

  async function request(request: HttpRequest): Promise<HttpResponse> {
    for (let attempts = 1; ; attempts++)
      try {
        return { ...(await attempt(request)), isRetried: attempts > 1 };
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        const { retryAfterMs = 0 } = error;
        if (!isTemporary(error) || attempts >= maxAttempts || retryAfterMs > MAX_RETRY_AFTER_MS)
          throw attempts > 1 ? markRetried(error) : error;
        await pause(backOff(attempts, maxPauseMs, retryAfterMs), request.signal);
      }
  }

  /** Executes a GraphQL operation. Throws the first error of its answer. */
  async function execute<Data, Variables>(
    url: string,
    operation: { query: TypedDocument<Data, Variables>; variables?: Variables | undefined },
    signal: AbortSignal | undefined,
  ): Promise<Data> {
    const { body, isRetried } = await request({
      method: 'POST',
      url,
      headers: GRAPHQL_HEADERS,
      body: operation,
      signal,
    });
    const error = findGraphqlError(body);
    if (error) throw isRetried ? markRetried(toClientError(error)) : toClientError(error);
    if (!isResult<Data>(body)) throw unexpectedAnswer(200, body);
    return body.data;
  }

  return { open, request, execute, maxPauseMs };
}

const isResult = <Data>(body: unknown): body is { data: Data } =>
  typeof body === 'object' && body !== null && 'data' in body;

const GRAPHQL_HEADERS = { accept: 'application/graphql-response+json, application/json' };

async function readText(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new ClientError(0, `The answer broke off: ${String(error)}`, { code: 'UNREACHABLE' });
  }
}

/** Returns undefined for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const retried = new WeakSet<ClientError>();

function markRetried(error: ClientError): ClientError {
  retried.add(error);
  return error;
}

/** Tells whether an earlier attempt of the request may have had its effect. */
export const wasRetried = (error: unknown): boolean => error instanceof ClientError && retried.has(error);
