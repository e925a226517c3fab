import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isAllowedOrigin, isLoopbackHost } from './cors.ts';

export type CrossSiteRejection = { status: 403 | 421; message: string };

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Rejects what pages of other sites can make a browser send. A foreign name as Host comes from a page whose name resolves
 * to this machine by now (DNS rebinding), so that it counts as the same origin. An address as Host cannot: it resolves to
 * nothing else. A write of another origin may come without preflight, as from a form. The name of --host, and hosts and
 * origins of --cors, are allowed.
 */
export function rejectCrossSite(
  { method = 'GET', headers: { host, origin } }: IncomingMessage,
  ownHost: string,
  corsOrigins: readonly string[],
): CrossSiteRejection | undefined {
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
