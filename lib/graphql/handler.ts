import type { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import Negotiator from 'negotiator';
import { withDeadline } from '../dynamodb/deadline.ts';
import { environment } from '../environment.ts';
import { withRequestLog, withStreamRequestLog } from '../log.ts';
import { authenticate } from './authenticate.ts';
import { httpError, type JsonResponse, toGraphqlResponse } from './errors.ts';
import { executeHttp } from './http/apollo-server.ts';
import { handleSse, type SseResponse } from './sse/handle-sse.ts';

type Event = APIGatewayProxyEventV2;
type Result = APIGatewayProxyStructuredResultV2;

/** The AWS SDK creates a global `awslambda` as well; only a runtime that can stream gives it this function. */
const canStream = 'awslambda' in globalThis && 'streamifyResponse' in awslambda;

const JSON_TYPES = ['application/graphql-response+json', 'application/json'];
const EVENT_STREAM = 'text/event-stream';

/** Clients that accept both get JSON, unless they prefer the event stream. */
const preferredType = ({ headers }: Event) => new Negotiator({ headers }).mediaType([...JSON_TYPES, EVENT_STREAM]);

/** Browsers must not guess another type and run a body as a script. */
const withNosniff = <Headers extends object>(headers: Headers) => ({ ...headers, 'x-content-type-options': 'nosniff' });

/** A runtime that cannot stream (`sam local`, some emulators) gets queries and mutations answered, but no subscriptions. */
export const handle = canStream ? awslambda.streamifyResponse(handleStreaming) : handleBuffered;

async function handleStreaming(event: Event, stream: awslambda.HttpResponseStream, context: Context): Promise<void> {
  if (preferredType(event) === EVENT_STREAM) return handleEventStream(event, stream);
  const { statusCode = 200, headers = {}, body = '' } = await handleBuffered(event, context);
  open(stream, { statusCode, headers: headers as Record<string, string> }).end(body); // All headers of executeHttp are strings.
}

/** Writes the events of a subscription until the client leaves or its time is over. */
async function handleEventStream(event: Event, stream: awslambda.HttpResponseStream): Promise<void> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), environment.maxStreamSeconds * 1000);
  stream.once('close', () => stop.abort());
  await withStreamRequestLog(event, async () => {
    const access = await authenticate(event).catch(toGraphqlResponse);
    if (!('caller' in access)) return send(stream, access, stop.signal);
    const response = await handleSse(event, access, stop.signal);
    return { ...(await send(stream, response, stop.signal)), caller: access.caller };
  }).finally(() => clearTimeout(timer));
}

async function send(stream: awslambda.HttpResponseStream, response: SseResponse, stop: AbortSignal) {
  const { statusCode, headers, body } = response;
  const output = open(stream, { statusCode, headers: withNosniff(headers) });
  const chunks = typeof body === 'string' ? [body] : body;
  try {
    for await (const chunk of chunks) if (!(await write(output, chunk, stop))) break;
  } finally {
    output.end();
  }
  return { status: statusCode };
}

/** Lambda loses status and headers of a response that ends without a write, even if the write is empty. */
function open(stream: awslambda.HttpResponseStream, head: { statusCode: number; headers: Record<string, string> }) {
  const output = awslambda.HttpResponseStream.from(stream, head);
  output.write('');
  return output;
}

/** Waits until the client takes it, so that a slow one does not fill the memory. False once `stop` is aborted. */
const write = (output: Writable, chunk: string, stop: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const onStop = () => resolve(false);
    if (output.destroyed || stop.aborted) return onStop();
    stop.addEventListener('abort', onStop, { once: true });
    output.write(chunk, (error) => {
      stop.removeEventListener('abort', onStop);
      resolve(!error);
    });
  });

async function handleBuffered(event: Event, context: Context): Promise<Result> {
  return withRequestLog(event, () => withDeadline(environment.requestTimeLimitMs, () => handleHttp(event, context)));
}

async function handleHttp(event: Event, context: Context) {
  const access = await authenticate(event).catch(toGraphqlResponse);
  if (!('caller' in access)) return { result: access };
  const { headers = {}, ...result } = rejectMediaType(event) ?? (await executeHttp(event, access, context));
  return { result: { ...result, headers: withNosniff(headers) }, caller: access.caller };
}

/** Apollo would execute a mutation before it rejects the media type. */
function rejectMediaType(event: Event): JsonResponse | undefined {
  const type = preferredType(event);
  if (type === EVENT_STREAM)
    return toGraphqlResponse(httpError(406, 'BAD_REQUEST', 'This runtime cannot stream; accept application/json'));
  const types = [...JSON_TYPES, EVENT_STREAM].join(', ');
  if (!type) return toGraphqlResponse(httpError(406, 'BAD_REQUEST', `The response can be one of ${types}`));
  return undefined;
}
