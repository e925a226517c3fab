import type { IncomingMessage } from 'node:http';
import { isAllowedOrigin, isLoopbackHost } from './cors.ts';

export type CrossSiteRejection = { status: 403 | 421; message: string };

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Rejects what pages of other sites can make a browser send. `onLoopback` tells whether only this machine can connect:
 * then a foreign Host comes from a page whose name resolves to this machine by now (DNS rebinding), so that it counts as
 * the same origin. A write of another origin may come without preflight, as from a form. Hosts and origins of --cors are
 * allowed.
 */
export function rejectCrossSite(
  { method = 'GET', headers: { host, origin } }: IncomingMessage,
  onLoopback: boolean,
  corsOrigins: readonly string[],
): CrossSiteRejection | undefined {
  if (onLoopback && host !== undefined && !isAllowedHost(host, corsOrigins))
    return { status: 421, message: 'The Host must be this machine, or that of an origin named with --cors' };
  if (SAFE_METHODS.includes(method) || origin === undefined) return undefined;
  if (isAllowedOrigin(origin, corsOrigins) || parseHost(origin) === host?.toLowerCase()) return undefined;
  return { status: 403, message: 'The Origin must be this machine, or named with --cors' };
}

function isAllowedHost(host: string, corsOrigins: readonly string[]): boolean {
  const url = URL.parse(`http://${host}`);
  return url !== null && (isLoopbackHost(url.hostname) || corsOrigins.map(parseHost).includes(host.toLowerCase()));
}

const parseHost = (origin: string) => URL.parse(origin)?.host;
