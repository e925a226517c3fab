import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type Caller, toLogCaller } from '../auth/caller.ts';
import { GRAPHQL_METHODS } from '../cors.ts';
import { withDeadline } from '../dynamodb/requests.ts';
import { environment } from '../environment.ts';
import type { StreamHost } from '../features/change-log/sse/handle-sse.ts';
import { withRequestLog, withStreamRequestLog } from '../log.ts';
import { chooseMediaType, findPreference } from '../negotiation.ts';
import { type Access, authenticate } from './authenticate.ts';
import { httpError, type JsonResponse, toGraphqlResponse } from './errors.ts';
import { executeHttp } from './http/apollo-server.ts';
import type { GraphqlResponse } from './write-body.ts';

type Event = APIGatewayProxyEventV2;
type HttpResult = APIGatewayProxyStructuredResultV2;

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';
const EVENT_STREAM = 'text/event-stream';
const JSON_TYPES = [JSON_TYPE, GRAPHQL_TYPE] as const;
const MEDIA_TYPES = [...JSON_TYPES, EVENT_STREAM] as const;
type MediaType = (typeof MEDIA_TYPES)[number];

/** Subscriptions need a `StreamHost`. */
export async function respond(event: Event, host?: StreamHost): Promise<GraphqlResponse> {
  const mediaType = await chooseResponseType(event);
  const answer =
    host && mediaType === EVENT_STREAM
      ? await withStreamRequestLog(event, () => answerStream(event, host))
      : await withRequestLog(event, () => answerJson(event, mediaType));
  const { statusCode = 200, headers, body = '' } = answer;
  const isGraphqlType = typeof body === 'string' && chooseMediaType(event.headers.accept, JSON_TYPES) === GRAPHQL_TYPE;
  return {
    statusCode,
    headers: {
      'cache-control': 'no-store',
      ...(headers as Record<string, string>), // Cast: all values are strings.
      ...(isGraphqlType ? { 'content-type': `${GRAPHQL_TYPE}; charset=utf-8` } : {}),
      // Browsers must not sniff another type and run the body as a script.
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}

/**
 * Subscriptions are streamed, and other operations are answered as JSON. Parses the document only if Accept names event
 * streams beside JSON, as urql does.
 */
async function chooseResponseType(event: Event): Promise<MediaType | undefined> {
  const { accept } = event.headers;
  const jsonType = chooseMediaType(accept, JSON_TYPES);
  const { weight, specificity } = findPreference(accept, EVENT_STREAM);
  const acceptsStream = weight > 0 && (specificity > 0 || !jsonType);
  if (!acceptsStream || !jsonType) return acceptsStream ? EVENT_STREAM : jsonType;
  const { isSubscription } = await import('../features/change-log/sse/subscription.ts');
  return isSubscription(event) ? EVENT_STREAM : jsonType;
}

type Answer<Response> = { result: Response; caller?: Caller };

async function answerStream(event: Event, host: StreamHost): Promise<Answer<GraphqlResponse>> {
  const identified = await identify(event);
  if (identified.kind === 'rejected') return { result: identified.response };
  const { access } = identified;
  const { handleSse } = await import('../features/change-log/sse/handle-sse.ts');
  return { result: await handleSse(event, access, host), caller: toLogCaller(access.caller, access.claims) };
}

const answerJson = (event: Event, mediaType: MediaType | undefined): Promise<Answer<HttpResult>> =>
  withDeadline(environment.requestTimeLimitMs, async () => {
    const identified = await identify(event);
    if (identified.kind === 'rejected') return { result: identified.response };
    const { access } = identified;
    const result = rejectMediaType(mediaType) ?? (await executeHttp(withAccept(event, mediaType), access));
    return { result, caller: toLogCaller(access.caller, access.claims) };
  });

type Identified = { kind: 'identified'; access: Access } | { kind: 'rejected'; response: JsonResponse };

async function identify(event: Event): Promise<Identified> {
  try {
    const access = await authenticate(event);
    requireMethod(event);
    return { kind: 'identified', access };
  } catch (error) {
    return { kind: 'rejected', response: toGraphqlResponse(error) };
  }
}

function requireMethod({ requestContext }: Event): void {
  const allowed = GRAPHQL_METHODS.join(', ');
  if (GRAPHQL_METHODS.every((method) => method !== requestContext.http.method))
    throw httpError(405, 'BAD_REQUEST', `The methods of this URL are ${allowed}`, { allow: allowed });
}

/** Replaces Accept with the chosen type, because Apollo negotiates by other rules. */
const withAccept = (event: Event, accept: MediaType | undefined): Event => ({
  ...event,
  headers: { ...event.headers, accept },
});

/** Must run first: Apollo executes a mutation before it rejects the media type. */
function rejectMediaType(mediaType: MediaType | undefined): JsonResponse | undefined {
  if (mediaType === EVENT_STREAM)
    return toGraphqlResponse(httpError(406, 'BAD_REQUEST', 'This runtime cannot stream; accept application/json'));
  if (!mediaType)
    return toGraphqlResponse(httpError(406, 'BAD_REQUEST', `The response can be one of ${MEDIA_TYPES.join(', ')}`));
  return undefined;
}
