import { formatJson } from '../format.ts';
import { createStore } from '../store.ts';

export type ApiRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: Record<string, unknown>;
};

export type Call = ApiRequest & {
  number: number;
  /** GraphQL: the operation's name. REST: method and path. */
  title: string;
  outcome?: {
    status: number | 'cancelled' | 'failed';
    milliseconds: number;
    /** DynamoDB capacity, only from the local service. */
    usage?: string | undefined;
    body?: string | undefined;
  };
};

/** Few, because bodies contain personal data. */
export const MAX_CALLS = 20;
const MAX_BODY_LENGTH = 4000;

export const calls = createStore<Call[]>([]);

let lastNumber = 0;

export function recordCall(request: ApiRequest): (outcome: NonNullable<Call['outcome']>) => void {
  lastNumber += 1;
  const call: Call = { ...request, number: lastNumber, title: nameCall(request) };
  calls.set((all) => [call, ...all].slice(0, MAX_CALLS));
  return (outcome) =>
    calls.set((all) => all.map((each) => (each.number === call.number ? { ...each, outcome } : each)));
}

/** The list hides these headers: every request has them, or they identify the person. */
const USUAL_HEADERS = ['accept', 'authorization', 'content-type'];

const EVENT_STREAM = 'text/event-stream';

export async function recordFetch(...[url, init = {}]: Parameters<typeof fetch>): Promise<Response> {
  const request = toApiRequest(String(url), init);
  const isStream = isEventStream(request);
  // Drops earlier failed streams: during an outage, they would displace the other calls.
  if (isStream) calls.set((all) => all.filter((call) => !(isEventStream(call) && hasFailed(call))));
  const finish = recordCall(request);
  const start = performance.now();
  try {
    const response = await fetch(url, init);
    const body = isStream && response.ok ? 'The stream of changes' : cut(formatJson(await response.clone().text()));
    const usage = readUsage(response.headers);
    finish({ status: response.status, milliseconds: performance.now() - start, usage, body });
    return response;
  } catch (error) {
    const isCancelled = init.signal?.aborted && init.signal.reason?.name !== 'TimeoutError';
    const status = isCancelled ? 'cancelled' : 'failed';
    finish({ status, milliseconds: performance.now() - start, body: String(error) });
    throw error;
  }
}

const cut = (text: string): string => (text.length > MAX_BODY_LENGTH ? `${text.slice(0, MAX_BODY_LENGTH)}\n…` : text);

function toApiRequest(url: string, { method = 'GET', headers, body }: RequestInit): ApiRequest {
  const all = Object.fromEntries(new Headers(headers));
  const shown = Object.entries(all).filter(([name, value]) => !USUAL_HEADERS.includes(name) || value === EVENT_STREAM);
  return {
    // Cast: the API client uses no other methods.
    method: method as ApiRequest['method'],
    path: url,
    ...(shown.length > 0 ? { headers: Object.fromEntries(shown) } : {}),
    ...(typeof body === 'string' ? { body: JSON.parse(body) } : {}),
  };
}

export const isEventStream = ({ headers }: ApiRequest) => headers?.accept === EVENT_STREAM;
export const hasFailed = ({ outcome }: Call) => outcome?.status === 'failed' || Number(outcome?.status) >= 400;

export const isGraphql = ({ path }: ApiRequest) => path === '/graphql';

function nameCall(request: ApiRequest): string {
  if (!isGraphql(request)) return `${request.method} ${request.path}`;
  const [, kind = 'query', name = ''] = /(query|mutation|subscription)\s+(\w+)/.exec(String(request.body?.query)) ?? [];
  return `${kind} ${name}`;
}

/** Reads the header Server-Timing, such as `db;desc="1 request, 0.5 RCU, 1 WCU"`. */
const readUsage = (headers: Headers): string | undefined =>
  /\bdb;[^,]*desc="([^"]*)"/.exec(headers.get('server-timing') ?? '')?.[1];
