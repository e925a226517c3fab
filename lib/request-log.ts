import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type Caller, formatCallerForLog, readCaller } from './auth/caller.ts';
import { type CapacityUsage, withCapacityUsage } from './dynamodb/capacity.ts';
import { environment } from './environment.ts';

type Event = APIGatewayProxyEventV2;
type Result = APIGatewayProxyStructuredResultV2;

/** The caller whom the function authenticated; without it, the one whom the gateway authenticated is logged. */
type Authenticated = { caller?: Caller };

/** Runs one request and logs a line: caller, route, status, time and consumed capacity; never any of its content. */
export async function withRequestLog(
  event: Event,
  run: () => Promise<Authenticated & { result: Result }>,
): Promise<Result> {
  const start = environment.elapsed();
  const { result: output, used } = await withCapacityUsage(run);
  const { result, caller } = output;
  const ms = msSince(start);
  logRequest(event, { status: result.statusCode ?? 200, caller, ms, used });
  return environment.sendsServerTiming
    ? { ...result, headers: { ...result.headers, 'server-timing': formatServerTiming(ms, used) } }
    : result;
}

/** The same for a response that `send` sends, whose line is logged at its end. */
export async function withStreamRequestLog(
  event: Event,
  send: () => Promise<Authenticated & { status: number }>,
): Promise<void> {
  const start = environment.elapsed();
  const { result, used } = await withCapacityUsage(send);
  logRequest(event, { ...result, ms: msSince(start), used });
}

const msSince = (start: number) => Math.round((environment.elapsed() - start) * 10) / 10;

type AnsweredRequest = Authenticated & { status: number; ms: number; used: CapacityUsage };

function logRequest(event: Event, { caller = readCaller(event), status, ms, used }: AnsweredRequest): void {
  const { requestId, http } = event.requestContext;
  // A Function URL has only the route $default; log its method instead.
  const route = event.routeKey === '$default' ? `${http.method} graphql` : event.routeKey;
  const line = { requestId, route, status, caller: formatCallerForLog(caller), ms, ...used };
  console.info({ event: 'request', ...line });
}

/** https://www.w3.org/TR/server-timing/ */
function formatServerTiming(ms: number, { requests, readUnits, writeUnits }: CapacityUsage): string {
  const used = [
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
    ...(readUnits > 0 ? [`${readUnits} RCU`] : []),
    ...(writeUnits > 0 ? [`${writeUnits} WCU`] : []),
  ];
  return `db;desc="${used.join(', ')}", total;dur=${ms}`;
}
