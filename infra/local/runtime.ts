import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';

type Buffered = (event: never, context: Context) => Promise<APIGatewayProxyStructuredResultV2 | undefined>;
type Streaming = (event: never, stream: Writable, context: Context) => Promise<void>;
export type Handler = Buffered | (Streaming & { [STREAMS]: true });

type Metadata = { statusCode?: number; headers?: Record<string, string> };

const STREAMS = Symbol('streams its response');

/** A response whose head is sent with its first byte, as Lambda does. */
class ResponseStream extends Writable {
  metadata: Metadata = {};
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    super({ decodeStrings: false });
    this.#response = response;
    response.once('close', () => this.destroy());
    // A reader that has gone is no fault: whoever writes sees it by `destroyed`.
    this.on('error', () => {});
  }

  #head() {
    const { statusCode = 200, headers = {} } = this.metadata;
    if (!this.#response.headersSent) this.#response.writeHead(statusCode, headers);
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: (error?: Error | null) => void) {
    this.#head();
    this.#response.write(chunk, (error) => done(error));
  }

  override _final(done: () => void) {
    this.#head();
    this.#response.end(done);
  }
}

/** The global that Lambda's Node runtime gives to functions that stream. Set it before they are imported. */
export function provideAwslambda(): void {
  const streamifyResponse = (handler: Streaming) => Object.assign(handler, { [STREAMS]: true as const });
  const from = (stream: ResponseStream, metadata: Metadata) => Object.assign(stream, { metadata });
  Object.assign(globalThis, { awslambda: { streamifyResponse, HttpResponseStream: { from } } });
}

/** Calls a handler as Lambda does and sends what it answers. */
export async function invoke(handler: Handler, event: APIGatewayProxyEventV2, response: ServerResponse): Promise<void> {
  const context = contextOf(event.requestContext.requestId);
  try {
    if (STREAMS in handler) return await handler(event as never, new ResponseStream(response), context);
    const result = (await handler(event as never, context)) ?? {};
    const { statusCode = 200, headers = {}, cookies = [], body = '', isBase64Encoded = false } = result;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
    if (cookies.length > 0) response.setHeader('set-cookie', cookies);
    const content = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
    if (statusCode !== 204 && statusCode !== 304) response.setHeader('content-length', content.length);
    response.writeHead(statusCode).end(content);
  } catch (error) {
    console.error(error);
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: 'Internal Server Error' }));
  }
}

export function contextOf(awsRequestId: string = randomUUID()): Context {
  const end = Date.now() + 15 * 60_000;
  return { awsRequestId, functionName: 'local', getRemainingTimeInMillis: () => end - Date.now() } as Context;
}
