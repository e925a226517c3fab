import type { IncomingMessage } from 'node:http';
import { GRAPHQL_METHODS, GRAPHQL_REQUEST_HEADERS, GRAPHQL_RESPONSE_HEADERS } from '../../cors.ts';
import { environment } from '../../environment.ts';

type CorsAnswer = { headers: Record<string, string>; isPreflight: boolean };

/** Answers CORS requests as a Function URL does by itself. https://fetch.spec.whatwg.org/#http-cors-protocol */
export function answerCors({ method, headers }: IncomingMessage): CorsAnswer {
  const { origin } = headers;
  const { corsOrigins } = environment;
  const isAllowed = origin !== undefined && (corsOrigins.includes(origin) || corsOrigins.includes('*'));
  if (!isAllowed) return { headers: corsOrigins.length > 0 ? { vary: 'origin' } : {}, isPreflight: false };
  const allowed = { vary: 'origin', 'access-control-allow-origin': origin };
  if (method !== 'OPTIONS' || !headers['access-control-request-method']) {
    const exposed = { 'access-control-expose-headers': GRAPHQL_RESPONSE_HEADERS.join(',') };
    return { headers: { ...allowed, ...exposed }, isPreflight: false };
  }
  return {
    headers: {
      ...allowed,
      'access-control-allow-methods': GRAPHQL_METHODS.join(','),
      'access-control-allow-headers': GRAPHQL_REQUEST_HEADERS.join(','),
      'access-control-max-age': '7200',
    },
    isPreflight: true,
  };
}
