import { SimpleFetcher } from 'aws-jwt-verify/https';
import * as z from 'zod/mini';
import { environment } from '../environment.ts';

const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url() });

const FETCH_TIMEOUT_MS = 3_000;
const httpsFetcher = new SimpleFetcher();

/** Takes a host name or address, with or without the brackets of a URL. */
export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);

/** Issuers must use https, or http on this machine. */
export function isAllowedIssuerUrl(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

/** The fetcher for aws-jwt-verify, whose own supports https only; tests and local runs need http on loopback. */
export const issuerFetcher = {
  async fetch(uri: string): Promise<ArrayBuffer> {
    if (!isAllowedIssuerUrl(uri)) throw new Error(`${uri} must use https or be on this machine`);
    if (uri.startsWith('https:')) return httpsFetcher.fetch(uri);
    const response = await fetch(uri, { redirect: 'error', signal: environment.timeout(FETCH_TIMEOUT_MS) }).catch(
      (cause: Error) => {
        throw new Error(`${uri} does not respond`, { cause });
      },
    );
    if (!response.ok) throw new Error(`${uri} responds with ${response.status}`);
    return response.arrayBuffer();
  },
};

/**
 * Finds the URL of the issuer's keys as API Gateway does:
 * https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 */
export async function discoverJwksUri(issuer: string): Promise<string> {
  const uri = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = new TextDecoder().decode(await issuerFetcher.fetch(uri));
  const { issuer: named, jwks_uri } = discoveryDocument.parse(JSON.parse(document));
  if (named !== issuer) throw new Error(`${uri} names the issuer ${named} instead of ${issuer}`);
  return jwks_uri;
}
