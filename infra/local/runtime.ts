import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';

type BufferedHandler = (event: never, context: Context) => Promise<APIGatewayProxyStructuredResultV2 | undefined>;
type Responder = { send(event: APIGatewayProxyEventV2, response: ServerResponse): Promise<void> };
export type Handler = BufferedHandler | (StreamingHandler & { [STREAMS]: true }) | Responder;

const STREAMS = Symbol('streams its response');

/** Call this before importing streaming functions. */
export const provideAwslambda = (): void =>
  defineAwslambda((handler) => Object.assign(handler, { [STREAMS]: true as const }));

export async function invoke(handler: Handler, event: APIGatewayProxyEventV2, response: ServerResponse): Promise<void> {
  const context = createContext(event.requestContext.requestId);
  try {
    if ('send' in handler) return await handler.send(event, response);
    if (STREAMS in handler) return await handler(event as never, createResponseStream(response), context);
    sendResult((await handler(event as never, context)) ?? {}, response);
  } catch (error) {
    console.error(error);
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: 'Internal Server Error' }));
  }
}

function sendResult(result: APIGatewayProxyStructuredResultV2, response: ServerResponse): void {
  const { statusCode = 200, headers = {}, cookies = [], body = '', isBase64Encoded = false } = result;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  const content = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (statusCode !== 204 && statusCode !== 304) response.setHeader('content-length', content.length);
  response.writeHead(statusCode).end(content);
}

function createResponseStream(response: ServerResponse): ResponseStream {
  const stream = new ResponseStream({
    open: ({ statusCode = 200, headers = {} }) => response.writeHead(statusCode, headers),
    end: (body, done) => body.end(done),
  });
  // Ignores errors after a disconnect: handlers check `destroyed` instead.
  stream.on('error', () => {});
  response.once('close', () => stream.destroy());
  return stream;
}

export function createContext(awsRequestId: string = randomUUID()): Context {
  const end = performance.now() + 15 * 60_000;
  // Functions use only these members.
  return { awsRequestId, functionName: 'local', getRemainingTimeInMillis: () => end - performance.now() } as Context;
}

export type ResponseHead = { statusCode?: number; headers?: Record<string, string> };

/** `end` calls `done` once the client has received everything. */
export type Transport = {
  open(head: ResponseHead): Writable;
  end(body: Writable, done: () => void): void;
};

/** Sends status and headers with the first byte of the body, like Lambda. */
export class ResponseStream extends Writable {
  head: ResponseHead = {};
  readonly #transport: Transport;
  #opened: Writable | undefined;

  constructor(transport: Transport) {
    super({ decodeStrings: false });
    this.#transport = transport;
  }

  #body(): Writable {
    this.#opened ??= this.#transport.open(this.head);
    return this.#opened;
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#body().write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#transport.end(this.#body(), done);
  }
}

export type StreamingHandler = (event: never, stream: Writable, context: Context) => Promise<void>;

/** Call this before importing functions. */
export function defineAwslambda(streamifyResponse: (handler: StreamingHandler) => unknown): void {
  const from = (stream: ResponseStream, head: ResponseHead) => Object.assign(stream, { head });
  Object.assign(globalThis, { awslambda: { streamifyResponse, HttpResponseStream: { from } } });
}
