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

/** Payload format 2.0, https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html */
export function restEvent(method: string, path: string, sent: Sent): APIGatewayProxyEventV2 {
  const { id, query, headers, body, isBase64Encoded = false, caller } = sent;
  const rawPath = id === undefined ? path : `${path}/${id}`;
  const routeKey = `${method} ${id === undefined ? path : `${path}/{id}`}`;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const given = { accept: '*/*', ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(query ? { queryStringParameters: query } : {}),
    ...(id === undefined ? {} : { pathParameters: { id } }),
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
