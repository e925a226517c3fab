import { type ClientRequest, request } from 'node:http';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { STREAM_TO, type StreamHead } from './streaming.ts';

type Handler = (event: APIGatewayProxyEventV2, stream: Writable, context: Context) => Promise<void>;

/** Sends what is written as it is written. It ends when all has arrived. */
class ResponseStream extends Writable {
  head: StreamHead = {};
  readonly #url: string;
  #request: ClientRequest | undefined;

  constructor(url: string) {
    super();
    this.#url = url;
  }

  #open(): ClientRequest {
    if (this.#request) return this.#request;
    this.#request = request(this.#url, { method: 'POST', headers: { [STREAM_TO]: JSON.stringify(this.head) } });
    this.#request.on('error', (error) => this.destroy(error));
    this.#request.flushHeaders();
    return this.#request;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#open().write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#open().once('response', (receipt) => receipt.resume().once('end', done));
    this.#open().end();
  }
}

const streamifyResponse = (handler: Handler) => async (event: APIGatewayProxyEventV2, context: Context) => {
  const url = event.headers[STREAM_TO];
  if (!url) throw new Error(`Nobody awaits the answer: the request has no ${STREAM_TO}`);
  const stream = new ResponseStream(url);
  await Promise.all([handler(event, stream, context), finished(stream)]);
};

/** The global of Lambda's own Node runtime that the emulator's lacks. Its functions are started with this imported. */
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse,
    HttpResponseStream: { from: (stream: ResponseStream, head: StreamHead) => Object.assign(stream, { head }) },
  },
});
