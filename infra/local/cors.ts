import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { GRAPHQL_RESPONSE_HEADERS, REST_REQUEST_HEADERS, REST_RESPONSE_HEADERS } from '../../lib/cors.ts';
import { hasSeveralHosts, SEVERAL_HOSTS } from '../../lib/http-event.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const MAX_AGE_SECONDS = 600;
/** Response headers that scripts can read. REST and GraphQL share an origin on this machine, so both lists apply. */
const EXPOSED_HEADERS = [...new Set([...REST_RESPONSE_HEADERS, ...GRAPHQL_RESPONSE_HEADERS])].join(',');

/** `hostname` of a URL object has IPv6 addresses in brackets. */
const isLoopbackHost = (hostname: string) =>
  /^(localhost|[\w.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

export function isAllowedOrigin(origin: string, further: readonly string[]): boolean {
  if (further.includes(origin) || further.includes('*')) return true;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && isLoopbackHost(url.hostname);
}

/**
 * Returns true if the request was a preflight, which is then answered. See
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function answerCors(request: IncomingMessage, response: ServerResponse, further: readonly string[]): boolean {
  const { origin } = request.headers;
  response.setHeader('vary', 'origin');
  if (origin === undefined || !isAllowedOrigin(origin, further)) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false;
  response.setHeader('access-control-allow-methods', METHODS.join(','));
  response.setHeader('access-control-allow-headers', ['accept', ...REST_REQUEST_HEADERS].join(','));
  response.setHeader('access-control-max-age', MAX_AGE_SECONDS);
  response.writeHead(204).end();
  return true;
}

export type CrossSiteRejection = { status: 400 | 403 | 421; message: string };

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Rejects requests of other sites' pages. Checks Host against DNS rebinding: browsers treat a site as same-origin if
 * its name now resolves to this machine. Checks Origin, because forms of other sites can send writes without a
 * preflight.
 */
export function rejectCrossSite(
  request: IncomingMessage,
  ownHost: string,
  corsOrigins: readonly string[],
): CrossSiteRejection | undefined {
  const { method = 'GET', headers } = request;
  const { host, origin } = headers;
  if (hasSeveralHosts(request)) return { status: 400, message: SEVERAL_HOSTS };
  if (host !== undefined && !isAllowedHost(host, ownHost, corsOrigins))
    return { status: 421, message: 'The Host must be this machine, an IP address, or named with --host or --cors' };
  if (SAFE_METHODS.includes(method) || origin === undefined) return undefined;
  if (isAllowedOrigin(origin, corsOrigins) || parseHost(origin) === host?.toLowerCase()) return undefined;
  return { status: 403, message: 'The Origin must be this machine, or named with --cors' };
}

function isAllowedHost(host: string, ownHost: string, corsOrigins: readonly string[]): boolean {
  const { hostname } = URL.parse(`http://${host}`) ?? {};
  if (hostname === undefined) return false;
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  if (isAddress || isLoopbackHost(hostname) || hostname === ownHost.toLowerCase()) return true;
  return corsOrigins.map(parseHost).includes(host.toLowerCase());
}

const parseHost = (origin: string) => URL.parse(origin)?.host;
