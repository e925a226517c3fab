import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createLambdaEvent, readHeaders, readRequestBody, splitUrl, type Target } from '../../lib/http-event.ts';
import { type AnyOperation, type OperationName, operations, routes } from '../../lib/rest/operations.ts';
import { listRouteMethods, METHODS } from '../../lib/rest/requests.ts';
import { responseFormats } from '../../lib/rest/responses.ts';
import { type Authorize, allowAll } from './auth.ts';
import { answerCors, rejectCrossSite } from './cors.ts';
import type { Pages } from './pages.ts';
import { type Handler, invoke } from './runtime.ts';
import { describeOperation, describePath, RecordedResponse, readUsage, type ServedRequest } from './served-request.ts';

export type Handlers = Record<OperationName | 'graphql', Handler>;

/** The quota of API Gateway's HTTP APIs. */
const MAX_BYTES = 10 * 1024 * 1024;

/** In ms. Slow clients hold memory and connections. API Gateway also allows 30 s. */
const TIME_LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };

const REQUEST_ID_HEADERS = { rest: 'apigw-requestid', graphql: 'x-amzn-requestid' };

/** Node.js's default of 5 s is too short for a client on a busy machine. */
const KEEP_ALIVE_MS = 60_000;

export type GatewayOptions = {
  pages?: Pages | undefined;
  authorize?: Authorize | undefined;
  host?: string;
  corsOrigins?: string[] | undefined;
  timeLimits?: Pick<ServerOptions, keyof typeof TIME_LIMITS>;
  onResponse?: ((served: ServedRequest) => void) | undefined;
};

export type Gateway = Server<typeof IncomingMessage, typeof RecordedResponse>;

export function createGateway(
  handlers: Handlers,
  {
    pages = async () => undefined,
    authorize = allowAll,
    host = 'localhost',
    corsOrigins = [],
    timeLimits = TIME_LIMITS,
    onResponse = () => {},
  }: GatewayOptions = {},
): Gateway {
  const server: Gateway = createServer(
    { ...timeLimits, keepAliveTimeout: KEEP_ALIVE_MS, ServerResponse: RecordedResponse },
    async (request, response) => {
      const start = performance.now();
      // After a reload, this process no longer listens. The client must connect to the new process.
      if (!server.listening) response.shouldKeepAlive = false;
      const by = await serve(request, response).catch((error: Error) => fail(error, request, response));
      if (!by) return;
      // Waits for the end of the response: a streaming function returns before it is fully sent.
      if (!response.closed) await once(response, 'close').catch(() => undefined);
      const { method = 'GET' } = request;
      const path = describePath(request, by);
      const { statusCode: status, operation } = response;
      const ms = performance.now() - start;
      const [used, reason] = [readUsage(response), response.findReason()];
      onResponse({ by, method, path, operation, status, ms, used, reason });
    },
  );
  return server;

  async function serve(request: IncomingMessage, response: RecordedResponse): Promise<ServedRequest['by']> {
    const rejection = rejectCrossSite(request, host, corsOrigins);
    if (rejection) return send(response, rejection.status, { message: rejection.message });
    const body = await readRequestBody(request, MAX_BYTES);
    if (answerCors(request, response, corsOrigins)) return 'gateway';
    if (!body) return send(response, 413, { message: 'Request Entity Too Large' });
    const page = await pages(request);
    if (page) {
      response.writeHead(page.status, page.headers).end(page.body);
      return 'page';
    }
    const [path] = splitUrl(request);
    const route = findRoute(request.method ?? 'GET', path);
    if (!route) return send(response, 404, { message: 'Not Found' });
    if (route === 'malformed') return send(response, 400, { message: 'Bad Request' });
    const { name, target } = route;
    if (name === 'graphql') response.operation = describeOperation(body);
    const authorization = name === 'graphql' ? {} : await authorize(readHeaders(request), operations[name].right);
    if ('status' in authorization)
      return send(response, authorization.status, { message: authorization.message }, authorization.headers);
    const event = createLambdaEvent(request, body, { ...target, ...authorization });
    response.setHeader(REQUEST_ID_HEADERS[name === 'graphql' ? name : 'rest'], event.requestContext.requestId);
    await invoke(handlers[name], event, response);
    return 'function';
  }
}

type Route = { name: keyof Handlers; target: Target };

/** As in API Gateway, routes without path parameters come first. */
const targets = responseFormats
  .flatMap((format) =>
    routes.map(({ functionName, operation }) => ({
      name: functionName,
      operation,
      path: `${format.path}${operation.path}`,
    })),
  )
  .toSorted((one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')));

function findRoute(method: string, path: string): Route | 'malformed' | undefined {
  if (path === '/graphql' || path === '/graphql/')
    return { name: 'graphql', target: { routeKey: '$default', rawPath: path } };
  for (const { name, operation, path: pattern } of targets) {
    const parameters = matchPath(pattern, path);
    if (!parameters || !isRouted(operation, method)) continue;
    try {
      const pathParameters = Object.fromEntries(parameters.map(([name, value]) => [name, decodeURIComponent(value)]));
      const target = { routeKey: `${method} ${pattern}`, rawPath: decodeURIComponent(path) };
      return { name, target: parameters.length > 0 ? { ...target, pathParameters } : target };
    } catch {
      return 'malformed';
    }
  }
  return undefined;
}

/**
 * API Gateway cannot route unknown methods, such as TRACE. The function of GET answers 405 (RFC 9110 section 15.5.6).
 */
function isRouted(operation: AnyOperation, method: string): boolean {
  const isUnknown = METHODS.every((known) => known !== method);
  return listRouteMethods(operation).some((known) => known === method || (isUnknown && known === 'GET'));
}

function matchPath(pattern: string, path: string): [name: string, value: string][] | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const parameters: [string, string][] = [];
  for (const [index, segment] of wanted.entries()) {
    const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
    const value = given[index] ?? '';
    if (name && value) parameters.push([name, value]);
    else if (value !== segment) return undefined;
  }
  return parameters;
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): 'gateway' {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  return 'gateway';
}

/** Answers 500, unless the response has begun. Undefined if nothing was answered, as after a disconnect. */
function fail(error: Error, request: IncomingMessage, response: ServerResponse): 'gateway' | undefined {
  if (request.destroyed && !request.complete) return undefined;
  console.error(error);
  if (!response.headersSent) return send(response, 500, { message: 'Internal Server Error' });
  response.destroy();
  return undefined;
}
