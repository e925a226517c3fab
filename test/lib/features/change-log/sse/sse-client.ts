import { PassThrough } from 'node:stream';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import {
  createContext,
  defineAwslambda,
  ResponseStream,
  type StreamingHandler,
} from '../../../../../infra/local/runtime.ts';
import { createGraphqlEvent, type RequestOptions } from '../../../../setup/event.ts';

// Must precede the import, because the function then checks whether the runtime can stream.
defineAwslambda((handler) => handler);
const { handler } = await import('../../../../../functions/graphql.ts');
const handleStreaming = handler as unknown as StreamingHandler; // The global's type for the handler.

export type StreamedResponse = {
  status: number;
  headers: Record<string, string>;
  /** Undefined for an event stream. */
  json?: { data?: unknown; errors?: { message: string; extensions: { code: string } }[] };
  body: PassThrough;
  disconnect(): Promise<void>;
};

/** Resolves when the response head is sent. */
export async function requestStream(options: RequestOptions, method = 'POST'): Promise<StreamedResponse> {
  const headers = { accept: 'text/event-stream', ...options.headers };
  const body = new PassThrough();
  const head = Promise.withResolvers<{ statusCode?: number; headers?: Record<string, string> }>();
  const stream = new ResponseStream({
    open(sent) {
      head.resolve(sent);
      return body;
    },
    end(opened, done) {
      opened.end();
      done();
    },
  });
  stream.on('error', () => {});
  const event: APIGatewayProxyEventV2 = createGraphqlEvent(method, { ...options, headers });
  const done = handleStreaming(event as never, stream, createContext());
  const { statusCode = 200, headers: sent = {} } = await head.promise;
  const disconnect = async () => {
    stream.destroy();
    await done;
  };
  const isEventStream = sent['content-type']?.startsWith('text/event-stream');
  const json = isEventStream ? undefined : JSON.parse(String(Buffer.concat(await body.toArray())));
  return { status: statusCode, headers: sent, body, disconnect, ...(json ? { json } : {}) };
}

export const requestSubscription = (query: string, variables: Record<string, unknown> = {}) =>
  requestStream({ body: { query, variables } });

export async function* readEvents({ body }: StreamedResponse): AsyncGenerator<unknown, void> {
  for await (const chunk of body) {
    const [, data] = /^event: next\ndata: (.*)\n\n$/s.exec(String(chunk)) ?? [];
    if (data) yield JSON.parse(data);
  }
}
