import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { readCaller } from './auth/caller.ts';
import { withCapacityUsage, type CapacityUsage } from './dynamodb/capacity.ts';

type Event = APIGatewayProxyEventV2;
type Result = APIGatewayProxyStructuredResultV2;

/** On request: it tells every caller what an answer cost. */
const TELLS_TIMING = process.env.SERVER_TIMING === 'on';

/** Runs one request and logs a line of it: who asked for which route, how it went, what it cost; never what was in it. */
export async function withRequestLog(event: Event, run: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const { result, used } = await withCapacityUsage(run);
  const ms = since(start);
  logRequest(event, result.statusCode ?? 200, ms, used);
  return TELLS_TIMING ? { ...result, headers: { ...result.headers, 'server-timing': timing(ms, used) } } : result;
}

type Respond<Body> = (statusCode: number, headers: Record<string, string>) => Body;

/** The same for a response that is streamed: its line comes with its end. */
export async function withStreamRequestLog<Body>(
  event: Event,
  respond: Respond<Body>,
  run: (respond: Respond<Body>) => Promise<void>,
): Promise<void> {
  const start = performance.now();
  let status = 500;
  const noted: Respond<Body> = (statusCode, headers) => {
    status = statusCode;
    return respond(statusCode, headers);
  };
  const { used } = await withCapacityUsage(() => run(noted));
  logRequest(event, status, since(start), used);
}

const since = (start: number) => Math.round((performance.now() - start) * 10) / 10;

function logRequest(event: Event, status: number, ms: number, { requests, units }: CapacityUsage): void {
  const { requestId, http } = event.requestContext;
  // A Function URL has one route for all; its method tells more.
  const route = event.routeKey === '$default' ? `${http.method} graphql` : event.routeKey;
  console.info({ event: 'request', requestId, route, status, caller: readCaller(event), ms, requests, units });
}

/** https://www.w3.org/TR/server-timing/ */
const timing = (ms: number, { requests, units }: CapacityUsage) =>
  `total;dur=${ms}, dynamodb;desc="${units} capacity units in ${requests} requests"`;
