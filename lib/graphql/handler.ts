import type { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import Negotiator from 'negotiator';
import { REQUEST_TIME_LIMIT_MS, withDeadline } from '../dynamodb/deadline.ts';
import { withRequestLog, withStreamRequestLog } from '../request-log.ts';
import { authenticate } from './authenticate.ts';
import { type ErrorResponse, toErrorResponse } from './error-response.ts';
import { executeHttp } from './http/apollo-server.ts';
import { requestError } from './request-error.ts';
import { handleSse } from './sse/handle-sse.ts';

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

async function handleStreaming(event: Event, response: awslambda.HttpResponseStream, context: Context): Promise<void> {
  const respond = (statusCode: number, headers: Record<string, string>) =>
    startBody(awslambda.HttpResponseStream.from(response, { statusCode, headers: withNosniff(headers) }));
  if (preferredType(event) === EVENT_STREAM)
    return withStreamRequestLog(event, respond, (start) => handleEventStream(event, start));
  const { statusCode = 200, headers = {}, body = '' } = await handleBuffered(event, context);
  respond(statusCode, headers as Record<string, string>).end(body); // All headers of executeHttp are strings.
}

/** Lambda loses status and headers of a response that ends without a write, even if the write is empty. */
function startBody(body: Writable): Writable {
  body.write('');
  return body;
}

async function handleEventStream(event: Event, respond: (status: number, headers: Record<string, string>) => Writable) {
  const access = await authenticate(event).catch(toErrorResponse);
  if ('caller' in access) {
    await handleSse(event, access, respond);
    return { caller: access.caller };
  }
  respond(access.statusCode, access.headers).end(access.body);
  return {};
}

const handleBuffered = (event: Event, context: Context): Promise<Result> =>
  withRequestLog(event, () => withDeadline(REQUEST_TIME_LIMIT_MS, () => handleHttp(event, context)));

async function handleHttp(event: Event, context: Context) {
  const access = await authenticate(event).catch(toErrorResponse);
  if (!('caller' in access)) return { result: access };
  const { headers = {}, ...result } = rejectMediaType(event) ?? (await executeHttp(event, access, context));
  return { result: { ...result, headers: withNosniff(headers) }, caller: access.caller };
}

/** Apollo would execute a mutation before it rejects the media type. */
function rejectMediaType(event: Event): ErrorResponse | undefined {
  const type = preferredType(event);
  if (type === EVENT_STREAM)
    return toErrorResponse(requestError(406, 'BAD_REQUEST', 'This runtime cannot stream; accept application/json'));
  const types = [...JSON_TYPES, EVENT_STREAM].join(', ');
  if (!type) return toErrorResponse(requestError(406, 'BAD_REQUEST', `The response can be one of ${types}`));
  return undefined;
}

/** Without streaming (`sam local`, some emulators), queries and mutations are answered, subscriptions are not. */
export const handle = canStream ? awslambda.streamifyResponse(handleStreaming) : handleBuffered;
