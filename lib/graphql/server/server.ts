import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { environment } from '../../environment.ts';
import { createLambdaEvent, readRequestBody, splitUrl } from '../../http-event.ts';
import { MAX_BODY_BYTES } from '../../input/parsing.ts';
import { logError } from '../../log.ts';
import { httpError, toGraphqlResponse } from '../errors.ts';
import { answerCors } from './cors.ts';
import { sendGraphql } from './send.ts';

/**
 * Lambda's proxy is the only client. It keeps connections open and must be the one that closes idle ones: a request that
 * meets a connection that closes is lost. A request without its end holds memory, so it has the time that API Gateway gives it.
 */
const OPTIONS: ServerOptions = {
  keepAliveTimeout: 620_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  /** Tokens with many groups are long; Node's own limit is 16 kB. */
  maxHeaderSize: 32 * 1024,
};

/** The error for a body that is too large tells its size, up to this one. */
const MAX_BYTES = 10 * MAX_BODY_BYTES;

export type GraphqlServer = {
  server: Server;
  /** Accepts no more connections, ends streams without `complete`, so that clients resume elsewhere, and finishes requests. */
  drain(): Promise<void>;
};

/** GraphQL as a plain HTTP server, which answers many requests at once. */
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
      // A client that has the head already keeps its connection.
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
  if (!body) {
    const tooLarge = httpError(413, 'BAD_REQUEST', `The request has more than ${MAX_BYTES} bytes`);
    const { statusCode, headers, body } = toGraphqlResponse(tooLarge);
    return void response.writeHead(statusCode, headers).end(body);
  }
  const [rawPath] = splitUrl(request);
  const event = createLambdaEvent(request, body, { routeKey: '$default', rawPath, ...readProxyHeaders(request) });
  await sendGraphql(event, response, connection);
}

/**
 * Lambda appends the client's address to X-Forwarded-For: other addresses may be made up.
 * https://docs.aws.amazon.com/lambda/latest/dg/web-functions-http.html
 */
function readProxyHeaders({ headersDistinct }: IncomingMessage) {
  const sourceIp = headersDistinct['x-forwarded-for']?.join(',').split(',').at(-1)?.trim();
  const [requestId] = headersDistinct['lambda-web-request-id'] ?? [];
  return { sourceIp, requestId };
}

function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  // The client has left before its request was complete.
  if (request.destroyed && !request.complete) return;
  logError(error);
  if (response.headersSent) return void response.destroy();
  const { statusCode, headers, body } = toGraphqlResponse(error);
  response.writeHead(statusCode, headers).end(body);
}

/** Listens where Lambda demands, until the process is told to end: Lambda gives it a second for that. */
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
