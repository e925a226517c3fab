import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { GRAPHQL_METHODS, GRAPHQL_REQUEST_HEADERS, GRAPHQL_RESPONSE_HEADERS } from '../../cors.ts';
import { environment } from '../../environment.ts';
import { createLambdaEvent, hasSeveralHosts, readRequestBody, SEVERAL_HOSTS, splitUrl } from '../../http-event.ts';
import { MAX_BODY_BYTES } from '../../input/parsing.ts';
import { logError } from '../../log.ts';
import { httpError, toGraphqlResponse } from '../errors.ts';
import { sendGraphql } from './send.ts';

/**
 * Keeps idle connections open until Lambda's proxy closes them: a request that arrives on a closing connection is lost.
 * Incomplete requests hold memory, so they have the time limit of API Gateway.
 */
const OPTIONS: ServerOptions = {
  keepAliveTimeout: 620_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  /** Tokens with many groups can exceed Node's default of 16 kB. */
  maxHeaderSize: 32 * 1024,
};

/** The server drops larger bodies. Exceeds MAX_BODY_BYTES, because the error for a large body names its size. */
const MAX_BYTES = 10 * MAX_BODY_BYTES;

export type GraphqlServer = {
  server: Server;
  /**
   * Stops accepting connections, finishes requests, and ends streams without `complete`, so that clients resume
   * elsewhere.
   */
  drain(): Promise<void>;
};

export function createGraphqlServer(options: ServerOptions = {}): GraphqlServer {
  const open = new Map<ServerResponse, AbortController>();
  const server = createServer({ ...OPTIONS, ...options }, async (request, response) => {
    const connection = new AbortController();
    open.set(response, connection);
    response.once('close', () => open.delete(response));
    await serve(request, response, connection).catch((error) => fail(error, request, response));
  });
  const drain = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const [response, connection] of open) {
      const { socket } = response;
      response.shouldKeepAlive = false;
      // Close connections of streams too: their headers already contain `keep-alive`.
      response.once('finish', () => socket?.destroySoon());
      connection.abort();
    }
    await closed;
  };
  return { server, drain };
}

async function serve(request: IncomingMessage, response: ServerResponse, connection: AbortController): Promise<void> {
  const body = await readRequestBody(request, MAX_BYTES);
  const { headers, isPreflight } = answerCors(request);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (isPreflight) return void response.writeHead(204).end();
  if (hasSeveralHosts(request)) return reject(response, 400, SEVERAL_HOSTS);
  if (!body) return reject(response, 413, `The request has more than ${MAX_BYTES} bytes`);
  const [rawPath] = splitUrl(request);
  const event = createLambdaEvent(request, body, { routeKey: '$default', rawPath, ...readProxyHeaders(request) });
  await sendGraphql(event, response, connection);
}

function reject(response: ServerResponse, status: number, message: string): void {
  const { statusCode, headers, body } = toGraphqlResponse(httpError(status, 'BAD_REQUEST', message));
  response.writeHead(statusCode, headers).end(body);
}

type CorsAnswer = { headers: Record<string, string>; isPreflight: boolean };

/** Answers CORS requests as a Function URL does by itself. https://fetch.spec.whatwg.org/#http-cors-protocol */
function answerCors({ method, headers }: IncomingMessage): CorsAnswer {
  const { origin } = headers;
  const { corsOrigins } = environment;
  const isAllowed = origin !== undefined && (corsOrigins.includes(origin) || corsOrigins.includes('*'));
  if (!isAllowed) return { headers: corsOrigins.length > 0 ? { vary: 'origin' } : {}, isPreflight: false };
  const allowed = { vary: 'origin', 'access-control-allow-origin': origin };
  if (method !== 'OPTIONS' || !headers['access-control-request-method']) {
    const exposed = { 'access-control-expose-headers': GRAPHQL_RESPONSE_HEADERS.join(',') };
    return { headers: { ...allowed, ...exposed }, isPreflight: false };
  }
  return {
    headers: {
      ...allowed,
      'access-control-allow-methods': GRAPHQL_METHODS.join(','),
      'access-control-allow-headers': GRAPHQL_REQUEST_HEADERS.join(','),
      'access-control-max-age': '7200',
    },
    isPreflight: true,
  };
}

/**
 * Reads the last address of X-Forwarded-For, which Lambda appends. Clients can forge the others.
 * https://docs.aws.amazon.com/lambda/latest/dg/web-functions-http.html
 */
function readProxyHeaders({ headersDistinct }: IncomingMessage) {
  const sourceIp = headersDistinct['x-forwarded-for']?.join(',').split(',').at(-1)?.trim();
  const [requestId] = headersDistinct['lambda-web-request-id'] ?? [];
  return { sourceIp, requestId };
}

function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  if (request.destroyed && !request.complete) return;
  logError(error);
  if (response.headersSent) return void response.destroy();
  const { statusCode, headers, body } = toGraphqlResponse(error);
  response.writeHead(statusCode, headers).end(body);
}

/** Drains after SIGTERM. Lambda then grants one second. */
export async function runGraphqlServer(): Promise<void> {
  const { server, drain } = createGraphqlServer();
  const { host, port } = environment.httpEndpoint;
  process.once('SIGTERM', async () => {
    await drain();
    process.exit(0);
  });
  server.listen(port, host);
  await once(server, 'listening');
}
