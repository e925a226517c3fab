import { Writable } from 'node:stream';
import type { Context } from 'aws-lambda';

export type ResponseHead = { statusCode?: number; headers?: Record<string, string> };

/** `open` sends the head and returns the stream of the body; `end` calls `done` when the client has received it all. */
export type Transport = {
  open(head: ResponseHead): Writable;
  end(body: Writable, done: () => void): void;
};

/** A response whose head is sent together with its first byte, as in Lambda. */
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

/**
 * Defines the global `awslambda` that Lambda's Node runtime gives to functions, before these are imported.
 * `streamifyResponse` turns a streaming handler into one that the caller of the function can invoke.
 */
export function defineAwslambda(streamifyResponse: (handler: StreamingHandler) => unknown): void {
  const from = (stream: ResponseStream, head: ResponseHead) => Object.assign(stream, { head });
  Object.assign(globalThis, { awslambda: { streamifyResponse, HttpResponseStream: { from } } });
}
