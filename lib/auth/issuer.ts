import { SimpleFetcher } from 'aws-jwt-verify/https';
import * as z from 'zod';

const discovered = z.object({ issuer: z.string(), jwks_uri: z.url() });

const ANSWERS_WITHIN = 3_000;
const overTls = new SimpleFetcher();

/** Takes a host's name or address, as an option or a URL writes it. */
export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);

/** Whether an issuer's documents may come from there: over TLS, or in clear text from this very machine. */
export function isAllowedIssuerUrl(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

/** What aws-jwt-verify fetches with. Its own fetcher knows https alone; tests and local runs need http on loopback. */
export const issuerFetcher = {
  async fetch(uri: string): Promise<ArrayBuffer> {
    if (!isAllowedIssuerUrl(uri)) throw new Error(`${uri} is neither https nor on this machine`);
    if (uri.startsWith('https:')) return overTls.fetch(uri);
    const response = await fetch(uri, { redirect: 'error', signal: AbortSignal.timeout(ANSWERS_WITHIN) }).catch(
      (cause: Error) => {
        throw new Error(`${uri} does not answer`, { cause });
      },
    );
    if (!response.ok) throw new Error(`${uri} answers ${response.status}`);
    return response.arrayBuffer();
  },
};

/**
 * Where the issuer publishes its keys, as API Gateway finds it:
 * https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 */
export async function discoverJwksUri(issuer: string): Promise<string> {
  const uri = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = new TextDecoder().decode(await issuerFetcher.fetch(uri));
  const { issuer: named, jwks_uri } = discovered.parse(JSON.parse(document));
  if (named !== issuer) throw new Error(`${uri} is about the issuer ${named}, not ${issuer}`);
  return jwks_uri;
}
