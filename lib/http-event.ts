import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { environment } from './environment.ts';

/**
 * Members of a Lambda event that depend on route and host:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export type Target = {
  routeKey: string;
  /** Decoded by API Gateway, but not by a Function URL. */
  rawPath: string;
  pathParameters?: Record<string, string>;
  authorizer?: unknown;
  /** Sent by a trusted proxy. */
  sourceIp?: string | undefined;
  requestId?: string | undefined;
};

export function createLambdaEvent(request: IncomingMessage, body: Buffer, target: Target): APIGatewayProxyEventV2 {
  const [, rawQueryString = ''] = splitUrl(request);
  const { routeKey, rawPath, pathParameters, authorizer, sourceIp, requestId } = target;
  const { cookie, ...headers } = readHeaders(request);
  const query = readQuery(rawQueryString);
  const now = new Date(environment.now());
  const domainName = headers.host ?? 'localhost';
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    ...(cookie ? { cookies: cookie.split(/; */) } : {}),
    headers,
    ...(query ? { queryStringParameters: query } : {}),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      ...(authorizer ? { authorizer } : {}),
      domainName,
      domainPrefix: domainName.split('.')[0] ?? domainName,
      http: {
        method: request.method ?? 'GET',
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: sourceIp ?? request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: requestId ?? environment.randomUUID(),
      routeKey,
      stage: '$default',
      time: formatCommonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(pathParameters ? { pathParameters } : {}),
    ...readBody(headers['content-type'], body),
  };
}

export function splitUrl({ url = '/' }: IncomingMessage): [path: string, query: string] {
  // Removes scheme and host: servers must accept the absolute form (RFC 9112 section 3.2.2).
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

export function readHeaders({ headersDistinct }: IncomingMessage): Record<string, string> {
  const joined = Object.entries(headersDistinct).map(([name, values = []]) => [
    name,
    values.join(name === 'cookie' ? '; ' : ','),
  ]);
  return Object.fromEntries(joined);
}

/** Such a request must be answered with 400 (RFC 9112 section 3.2). */
export const hasSeveralHosts = ({ headersDistinct: { host = [] } }: IncomingMessage): boolean => host.length > 1;

export const SEVERAL_HOSTS = 'The request must have one Host header';

/** Reads the body to its end, because proxies respond only then. Undefined above `maxBytes`. */
export async function readRequestBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size <= maxBytes ? Buffer.concat(chunks) : undefined;
}

/** Parses the query in linear time, because unauthenticated callers can send thousands of names. */
function readQuery(rawQueryString: string): Record<string, string> | undefined {
  const joined = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before},${value}`);
  }
  return joined.size > 0 ? Object.fromEntries(joined) : undefined;
}

const TEXT_TYPES = /^(text\/|application\/(json|javascript|xml|graphql-response\+json)\b)/i;

function readBody(contentType: string | undefined, body: Buffer): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const isText = contentType !== undefined && TEXT_TYPES.test(contentType) && isUtf8(body);
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

function formatCommonLogTime(now: Date): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(now.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
}
