import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { defineAwslambda, ResponseStream, type StreamingHandler } from './awslambda.ts';

type BufferedHandler = (event: never, context: Context) => Promise<APIGatewayProxyStructuredResultV2 | undefined>;
export type Handler = BufferedHandler | (StreamingHandler & { [STREAMS]: true });

const STREAMS = Symbol('streams its response');

/** Call this before the functions are imported. */
export const provideAwslambda = (): void =>
  defineAwslambda((handler) => Object.assign(handler, { [STREAMS]: true as const }));

/** Calls a handler as Lambda does and sends its result. */
export async function invoke(handler: Handler, event: APIGatewayProxyEventV2, response: ServerResponse): Promise<void> {
  const context = createContext(event.requestContext.requestId);
  try {
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
  // A client that disconnects is no error: handlers check `destroyed`.
  stream.on('error', () => {});
  response.once('close', () => stream.destroy());
  return stream;
}

export function createContext(awsRequestId: string = randomUUID()): Context {
  const end = Date.now() + 15 * 60_000;
  // Functions read these members only.
  return { awsRequestId, functionName: 'local', getRemainingTimeInMillis: () => end - Date.now() } as Context;
}
