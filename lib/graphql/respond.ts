import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import Negotiator from 'negotiator';
import { withDeadline } from '../dynamodb/deadline.ts';
import { environment } from '../environment.ts';
import type { StreamHost } from '../features/change-log/sse/handle-sse.ts';
import { withRequestLog, withStreamRequestLog } from '../log.ts';
import { authenticate } from './authenticate.ts';
import { httpError, type JsonResponse, toGraphqlResponse } from './errors.ts';
import { executeHttp } from './http/apollo-server.ts';

type Event = APIGatewayProxyEventV2;

/** The body is JSON, or the events of a stream, which must be read to the end or be returned after its first event. */
export type GraphqlResponse = {
  statusCode: number;
  headers: Record<string, string>;
  body: string | AsyncGenerator<string>;
};

const JSON_TYPES = ['application/graphql-response+json', 'application/json'];
const EVENT_STREAM = 'text/event-stream';

/** Clients that accept both get JSON, unless they prefer the event stream. */
const preferredType = ({ headers }: Event) => new Negotiator({ headers }).mediaType([...JSON_TYPES, EVENT_STREAM]);

/** Answers a query, mutation or subscription, on any host. One that cannot stream is no `StreamHost`: it gets no subscriptions. */
export async function respond(event: Event, host?: StreamHost): Promise<GraphqlResponse> {
  const { headers, ...response } =
    host && preferredType(event) === EVENT_STREAM
      ? await respondWithStream(event, host)
      : toResponse(await respondWithJson(event));
  // Browsers must not guess another type and run a body as a script.
  return { ...response, headers: { ...headers, 'x-content-type-options': 'nosniff' } };
}

const respondWithStream = (event: Event, host: StreamHost): Promise<GraphqlResponse> =>
  withStreamRequestLog<GraphqlResponse>(event, async () => {
    const access = await authenticate(event).catch(toGraphqlResponse);
    if (!('caller' in access)) return { result: access };
    const { handleSse } = await import('../features/change-log/sse/handle-sse.ts');
    return { result: await handleSse(event, access, host), caller: access.caller };
  });

const respondWithJson = (event: Event): Promise<APIGatewayProxyStructuredResultV2> =>
  withRequestLog(event, () =>
    withDeadline(environment.requestTimeLimitMs, async () => {
      const access = await authenticate(event).catch(toGraphqlResponse);
      if (!('caller' in access)) return { result: access };
      const result = rejectMediaType(event) ?? (await executeHttp(event, access));
      return { result, caller: access.caller };
    }),
  );

/** All headers of executeHttp are strings. */
const toResponse = ({ statusCode = 200, headers = {}, body = '' }: APIGatewayProxyStructuredResultV2) => ({
  statusCode,
  headers: headers as Record<string, string>,
  body,
});

/** Apollo would execute a mutation before it rejects the media type. */
function rejectMediaType(event: Event): JsonResponse | undefined {
  const type = preferredType(event);
  if (type === EVENT_STREAM)
    return toGraphqlResponse(httpError(406, 'BAD_REQUEST', 'This runtime cannot stream; accept application/json'));
  const types = [...JSON_TYPES, EVENT_STREAM].join(', ');
  if (!type) return toGraphqlResponse(httpError(406, 'BAD_REQUEST', `The response can be one of ${types}`));
  return undefined;
}
