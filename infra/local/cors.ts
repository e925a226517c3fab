import type { IncomingMessage, ServerResponse } from 'node:http';
import { REST_REQUEST_HEADERS, REST_RESPONSE_HEADERS } from '../stack/cors.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const MAX_AGE_SECONDS = 600;

/** Takes the host name of a URL. */
export const isLoopbackHost = (hostname: string) =>
  /^(localhost|[\w.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** Pages of this machine, on any port, and those of further origins that were named. */
export function isAllowedOrigin(origin: string, further: readonly string[]): boolean {
  if (further.includes(origin) || further.includes('*')) return true;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && isLoopbackHost(url.hostname);
}

/**
 * Lets pages of allowed origins read responses, as the APIs of a stack with `corsOrigins` do (https://fetch.spec.whatwg.org/#http-cors-protocol).
 * Returns whether the request was a preflight, which is answered then.
 */
export function answerCors(request: IncomingMessage, response: ServerResponse, further: readonly string[]): boolean {
  const { origin } = request.headers;
  response.setHeader('vary', 'origin');
  if (origin === undefined || !isAllowedOrigin(origin, further)) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', REST_RESPONSE_HEADERS.join(','));
  if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false;
  response.setHeader('access-control-allow-methods', METHODS.join(','));
  response.setHeader('access-control-allow-headers', ['accept', ...REST_REQUEST_HEADERS].join(','));
  response.setHeader('access-control-max-age', MAX_AGE_SECONDS);
  response.writeHead(204).end();
  return true;
}
