import type { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import Negotiator from 'negotiator';
import { withRequestLog, withStreamRequestLog } from '../request-log.ts';
import { REQUEST_TIME_LIMIT_MS, withDeadline } from '../dynamodb/deadline.ts';
import { failure } from './http/adapter.ts';
import { answer } from './http/server.ts';
import { stream } from './sse/stream.ts';

type Event = APIGatewayProxyEventV2;
type Result = APIGatewayProxyStructuredResultV2;

/** The AWS SDK keeps something of its own in a global of this name, and makes it where the runtime does not. */
const canStream = 'awslambda' in globalThis && 'streamifyResponse' in awslambda;

const JSON_TYPES = ['application/graphql-response+json', 'application/json'];
const EVENT_STREAM = 'text/event-stream';

/** Clients that could take a stream among others get JSON; only who prefers the stream gets it. */
const preferredType = ({ headers }: Event) => new Negotiator({ headers }).mediaType([...JSON_TYPES, EVENT_STREAM]);

async function answerStreaming(event: Event, response: awslambda.HttpResponseStream, context: Context): Promise<void> {
  const respond = (statusCode: number, headers: Record<string, string>) =>
    startOf(awslambda.HttpResponseStream.from(response, { statusCode, headers }));
  if (preferredType(event) === EVENT_STREAM)
    return withStreamRequestLog(event, respond, (start) => stream(event, start));
  const { statusCode = 200, headers = {}, body = '' } = await handleBuffered(event, context);
  respond(statusCode, headers as Record<string, string>).end(body);
}

/** Without a first write, however empty, Lambda loses status and headers. */
function startOf(body: Writable): Writable {
  body.write('');
  return body;
}

const handleBuffered = (event: Event, context: Context): Promise<Result> =>
  withRequestLog(event, () =>
    withDeadline(
      REQUEST_TIME_LIMIT_MS,
      async () => rejectRequest(event) ?? (await answer(event, context, () => {})) ?? {},
    ),
  );

/** Apollo would run a mutation first and refuse its media type then. */
function rejectRequest(event: Event): Result | undefined {
  const type = preferredType(event);
  if (type === EVENT_STREAM) return failure(406, 'BAD_REQUEST', 'This runtime cannot stream: ask for application/json');
  if (!type) return failure(406, 'BAD_REQUEST', `This is served as ${[...JSON_TYPES, EVENT_STREAM].join(', ')}`);
  return undefined;
}

/** Streams where the runtime can: under `sam local` and some emulators it answers queries and mutations, whole. */
export const handle = canStream ? awslambda.streamifyResponse(answerStreaming) : handleBuffered;
