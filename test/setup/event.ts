import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** What a test sends: a header that is undefined is not sent, and a body that is no string goes as JSON. */
export type Sent = {
  id?: string | undefined;
  query?: Record<string, string>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
  isBase64Encoded?: boolean;
  /** The subject of the token that the gateway's authorizer took. */
  caller?: string;
};

/** As API Gateway makes it of a request for one user, or for all. */
export function restEvent(method: string, path: string, { id, ...sent }: Sent): APIGatewayProxyEventV2 {
  if (id === undefined) return event(method, `${method} ${path}`, path, sent);
  return { ...event(method, `${method} ${path}/{id}`, `${path}/${id}`, sent), pathParameters: { id } };
}

/** As a Function URL makes it: all its paths are one route. */
export const graphqlEvent = (method: string, sent: Sent): APIGatewayProxyEventV2 =>
  event(method, '$default', '/graphql', sent);

/** Payload format 2.0, https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html */
function event(method: string, routeKey: string, rawPath: string, sent: Omit<Sent, 'id'>): APIGatewayProxyEventV2 {
  const { query, headers, body, isBase64Encoded = false, caller } = sent;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const given = { accept: '*/*', ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(query ? { queryStringParameters: query } : {}),
    requestContext: {
      accountId: '123456789012',
      apiId: 'api',
      ...(caller ? { authorizer: { jwt: { claims: { sub: caller }, scopes: [] } } } : {}),
      domainName: 'api.example.org',
      domainPrefix: 'api',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'vitest' },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: '12/Mar/2020:19:03:58 +0000',
      timeEpoch: 1583348638390,
    },
    ...(text === undefined ? {} : { body: text }),
    isBase64Encoded,
  };
}
