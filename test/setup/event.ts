import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** Query parameters. An array repeats the parameter in the URL. */
export type Query = Record<string, string | string[]>;

/** Undefined headers are omitted. A body that is not a string is sent as JSON. */
export type RequestOptions = {
  id?: string | undefined;
  query?: Query;
  headers?: Record<string, string | undefined>;
  body?: unknown;
  isBase64Encoded?: boolean;
  /** The token's `sub`. An undefined caller is anonymous. */
  caller?: string;
};

/** Creates the event of a REST request. `path`: the base path of the response format, e.g. /v1/users. */
export function createRestEvent(
  method: string,
  path: string,
  { id, ...options }: RequestOptions,
  operationPath = id === undefined ? '' : '/{id}',
): APIGatewayProxyEventV2 {
  const routeKey = `${method} ${path}${operationPath}`;
  if (id === undefined) return event(method, routeKey, `${path}${operationPath}`, options);
  return { ...event(method, routeKey, `${path}${operationPath.replace('{id}', id)}`, options), pathParameters: { id } };
}

export const createGraphqlEvent = (method: string, options: RequestOptions): APIGatewayProxyEventV2 =>
  event(method, '$default', '/graphql', options);

/** Payload format 2.0: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html */
function event(
  method: string,
  routeKey: string,
  rawPath: string,
  options: Omit<RequestOptions, 'id'>,
): APIGatewayProxyEventV2 {
  const { query, headers, body, isBase64Encoded = false, caller } = options;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const allHeaders = {
    accept: '*/*',
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: formatQuery(query),
    headers: Object.fromEntries(Object.entries(allHeaders).filter(([, value]) => value !== undefined)),
    ...(query ? { queryStringParameters: joinValues(query) } : {}),
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

function formatQuery(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat()) parameters.append(name, value);
  return parameters.toString();
}

const joinValues = (query: Query) =>
  Object.fromEntries(Object.entries(query).map(([name, values]) => [name, [values].flat().join(',')]));
