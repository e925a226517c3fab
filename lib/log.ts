import { AsyncLocalStorage } from 'node:async_hooks';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type Caller, formatCaller, readCaller } from './auth/caller.ts';
import { type CapacityUsage, withCapacityUsage } from './dynamodb/requests.ts';
import { environment } from './environment.ts';
import { isUnavailable } from './errors.ts';

const internalErrors = new AsyncLocalStorage<{ count: number }>();

const answered = { total: 0, failed: 0 };

type Event = APIGatewayProxyEventV2;
type Result = APIGatewayProxyStructuredResultV2;

/** Set if the function itself authenticated the caller. Default: the gateway's caller. */
type Authenticated = { caller?: Caller };

/** Logs caller, route, status, time and consumed capacity, but no content. */
export async function withRequestLog(
  event: Event,
  run: () => Promise<Authenticated & { result: Result }>,
): Promise<Result> {
  const start = environment.elapsed();
  const { output, used, errors } = await measure(run);
  const { result, caller } = output;
  const ms = msSince(start);
  logRequest(event, { status: result.statusCode ?? 200, caller, ms, used, errors });
  return environment.sendsServerTiming
    ? { ...result, headers: { ...result.headers, 'server-timing': formatServerTiming(ms, used) } }
    : result;
}

/** Counts consumed capacity and internal errors of `run`. Both counts continue to rise during a stream. */
async function measure<Output>(run: () => Promise<Output>) {
  const errors = { count: 0 };
  const { result: output, used } = await internalErrors.run(errors, () => withCapacityUsage(run));
  return { output, used, errors };
}

type Streamable = { statusCode: number; body: string | AsyncGenerator<string | Uint8Array> };

/** Logs a stream at its end, including its capacity. */
export async function withStreamRequestLog<Response extends Streamable>(
  event: Event,
  run: () => Promise<Authenticated & { result: Response }>,
): Promise<Response> {
  const start = environment.elapsed();
  const { output, used, errors } = await measure(async () => ({
    ...(await run()),
    inContext: AsyncLocalStorage.snapshot(),
  }));
  const { result, caller, inContext } = output;
  const log = () => logRequest(event, { status: result.statusCode, caller, ms: msSince(start), used, errors });
  if (typeof result.body !== 'string') return { ...result, body: readInContext(result.body, inContext, log) };
  log();
  return result;
}

/** Reads `body` in the async context of the request, not of the reader. */
async function* readInContext(
  body: AsyncGenerator<string | Uint8Array>,
  inContext: <Result>(run: () => Result) => Result,
  onEnd: () => void,
): AsyncGenerator<string | Uint8Array> {
  try {
    for (;;) {
      const { done, value } = await inContext(() => body.next());
      if (done) return;
      yield value;
    }
  } finally {
    await inContext(() => body.return(undefined));
    onEnd();
  }
}

const msSince = (start: number) => Math.round((environment.elapsed() - start) * 10) / 10;

type AnsweredRequest = Authenticated & { status: number; ms: number; used: CapacityUsage; errors: { count: number } };

function logRequest(event: Event, { caller = readCaller(event), status, ms, used, errors }: AnsweredRequest): void {
  const { requestId, http } = event.requestContext;
  // A Function URL has only the route $default.
  const route = event.routeKey === '$default' ? `${http.method} graphql` : event.routeKey;
  const line = { requestId, route, status, caller: formatCaller(caller), ms, ...used, ...countAnswer(errors) };
  console.info({ event: 'request', ...line });
}

/**
 * Counts an answer. Returns `failureRate` after an internal error: 1 for an operation that always fails, even a rare
 * one, almost 0 for an occasional failure.
 */
function countAnswer(errors: { count: number }): { failureRate?: number } {
  answered.total++;
  if (errors.count === 0) return {};
  answered.failed++;
  return { failureRate: answered.failed / answered.total };
}

function formatServerTiming(ms: number, { requests, readUnits, writeUnits }: CapacityUsage): string {
  const used = [
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
    ...(readUnits > 0 ? [`${readUnits} RCU`] : []),
    ...(writeUnits > 0 ? [`${writeUnits} WCU`] : []),
  ];
  return `db;desc="${used.join(', ')}", total;dur=${ms}`;
}

/** Logs a line that operators count. An unavailable database is not an internal error. */
export const logUnavailable = (details: Record<string, unknown> = {}) =>
  console.warn({ event: 'unavailable', ...details });

export function logFailure(error: unknown, details: Record<string, unknown> = {}): void {
  if (isUnavailable(error)) logUnavailable(details);
  else logError(error, details);
}

/** Logs an internal error. Lambda adds the request id. */
export function logError(error: unknown, details: Record<string, unknown> = {}): void {
  const errors = internalErrors.getStore();
  if (errors) errors.count++;
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error({ event: 'internal-error', ...details, error: { name, message, stack } });
}
