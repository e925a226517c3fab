import { ASSUMED_SECONDS, prices } from '../../../prices.ts';
import { formatCount } from '../format.ts';
import { createStore } from '../store.ts';

/** A call consumed this in DynamoDB. */
export type Usage = { requests: number; reads: number; writes: number };

export type ApiRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: Record<string, unknown>;
};

export type Call = ApiRequest & {
  number: number;
  /** A GraphQL call is titled by its operation's name, a REST call by method and path. */
  title: string;
  /** The outcome is missing while the call is under way. */
  outcome?: {
    status: number | 'cancelled' | 'failed';
    milliseconds: number;
    usage?: Usage | undefined;
    body?: string | undefined;
  };
};

/** Requests and responses contain personal data: so many remain, and of each response no more than is shown. */
export const MAX_CALLS = 20;
const MAX_BODY_LENGTH = 4000;

/** Holds the calls of this page, latest first. */
export const calls = createStore<Call[]>([]);

let lastNumber = 0;

/** Shows a call, and returns a function that adds its outcome. */
export function recordCall(request: ApiRequest): (outcome: NonNullable<Call['outcome']>) => void {
  lastNumber += 1;
  const call: Call = { ...request, number: lastNumber, title: nameCall(request) };
  calls.set((all) => [call, ...all].slice(0, MAX_CALLS));
  return (outcome) =>
    calls.set((all) => all.map((each) => (each.number === call.number ? { ...each, outcome } : each)));
}

/** These are the headers of each request, or of the person who sends it. */
const USUAL_HEADERS = ['accept', 'authorization', 'content-type'];

const EVENT_STREAM = 'text/event-stream';

/** A fetch that shows each request, and its answer, among the calls. */
export async function recordFetch(...[url, init = {}]: Parameters<typeof fetch>): Promise<Response> {
  const request = toApiRequest(String(url), init);
  const isStream = isEventStream(request);
  // While the service is down, the repetitions of a stream would displace the other calls.
  if (isStream) calls.set((all) => all.filter((call) => !(isEventStream(call) && hasFailed(call))));
  const finish = recordCall(request);
  const start = performance.now();
  try {
    const response = await fetch(url, init);
    const body = isStream && response.ok ? 'The stream of changes' : cut(formatJson(await response.clone().text()));
    const usage = parseUsage(response.headers.get('server-timing'));
    finish({ status: response.status, milliseconds: performance.now() - start, usage, body });
    return response;
  } catch (error) {
    const status = init.signal?.aborted ? 'cancelled' : 'failed';
    finish({ status, milliseconds: performance.now() - start, body: String(error) });
    throw error;
  }
}

const cut = (text: string): string => (text.length > MAX_BODY_LENGTH ? `${text.slice(0, MAX_BODY_LENGTH)}\n…` : text);

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function toApiRequest(url: string, { method = 'GET', headers, body }: RequestInit): ApiRequest {
  const all = Object.fromEntries(new Headers(headers));
  const shown = Object.entries(all).filter(([name, value]) => !USUAL_HEADERS.includes(name) || value === EVENT_STREAM);
  return {
    // The client has these methods only.
    method: method as ApiRequest['method'],
    path: url,
    ...(shown.length > 0 ? { headers: Object.fromEntries(shown) } : {}),
    ...(typeof body === 'string' ? { body: JSON.parse(body) } : {}),
  };
}

const isEventStream = ({ headers }: ApiRequest) => headers?.accept === EVENT_STREAM;
const hasFailed = ({ outcome }: Call) => outcome?.status === 'failed' || Number(outcome?.status) >= 400;

export const isGraphql = ({ path }: ApiRequest) => path === '/graphql';

function nameCall(request: ApiRequest): string {
  if (!isGraphql(request)) return `${request.method} ${request.path}`;
  const [, kind = 'query', name = ''] = /(query|mutation|subscription)\s+(\w+)/.exec(String(request.body?.query)) ?? [];
  return `${kind} ${name}`;
}

/** Reads `db;desc="1 request, 0.5 RCU, 1 WCU"` of Server-Timing, which the local service sends. */
export function parseUsage(serverTiming: string | null): Usage | undefined {
  const description = /\bdb;[^,]*desc="([^"]*)"/.exec(serverTiming ?? '')?.[1];
  if (description === undefined) return undefined;
  const read = (unit: RegExp) => Number(unit.exec(description)?.[1] ?? 0);
  return { requests: read(/([\d.]+) requests?/), reads: read(/([\d.]+) RCU/), writes: read(/([\d.]+) WCU/) };
}

/** Returns the USD for DynamoDB, Lambda and, for REST, API Gateway, without what on-change consumes afterwards. */
export function calculatePrice(call: Call): number | undefined {
  const usage = call.outcome?.usage;
  if (!usage) return undefined;
  const database = usage.reads * prices.read + usage.writes * prices.write;
  const gateway = isGraphql(call) ? 0 : prices.httpApi;
  return database + gateway + prices.invocation + ASSUMED_SECONDS * prices.second;
}

/** Single calls cost too little to show, so prices are those of a million calls. */
export const formatPricePerMillion = (price: number): string => `$${(price * 1e6).toFixed(2)}`;

export const sumUsage = (usages: (Usage | undefined)[]): Usage =>
  usages.reduce<Usage>(
    (sum, usage) => ({
      requests: sum.requests + (usage?.requests ?? 0),
      reads: sum.reads + (usage?.reads ?? 0),
      writes: sum.writes + (usage?.writes ?? 0),
    }),
    { requests: 0, reads: 0, writes: 0 },
  );

export const formatUsage = ({ requests, reads, writes }: Usage): string =>
  [formatCount(requests, 'request'), ...(reads ? [`${reads} RCU`] : []), ...(writes ? [`${writes} WCU`] : [])].join(
    ' · ',
  );
