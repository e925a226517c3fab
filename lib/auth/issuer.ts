import { SimpleFetcher } from 'aws-jwt-verify/https';
import { findJwkInJwks, type Jwks, type JwkWithKid, SimpleJwksCache } from 'aws-jwt-verify/jwk';
import * as z from 'zod/mini';
import { environment } from '../environment.ts';

/** Takes a host name or address, with or without the brackets of a URL. */
export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);

/** Issuers must use https, or http on this machine. */
export function isAllowedIssuerUrl(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

/** API Gateway caches keys equally long, so both APIs reject a withdrawn key after this time. */
const KEY_CACHE_TTL_MS = 2 * 60 * 60 * 1000;

/** Anyone can send unknown key ids, so the issuer is asked for one in this interval, whether it answers or fails. */
const LOOKUP_INTERVAL_MS = 10_000;

/** No token can be verified while there is no key, so the issuer is asked again soon. */
const RETRY_INTERVAL_MS = 1_000;

/** The issuer provides no keys, which says nothing about a token. */
export class IssuerError extends Error {}

type KeySet = { uri: string; jwks: Jwks; expiresAt: number };

/** Returns a function that finds a key of the issuer by its id. It throws an IssuerError if the issuer provides no keys. */
export function createKeyFinder(issuer: string): (kid: string) => Promise<JwkWithKid | undefined> {
  let keySet: KeySet | undefined;
  let nextFetch = 0;
  let failure: IssuerError | undefined;
  let fetching: Promise<void> | undefined;

  const find = (kid: string) => keySet && findJwkInJwks(keySet.jwks, kid);

  async function refresh(kid: string): Promise<void> {
    try {
      keySet = await fetchKeySet(issuer, keySet);
      failure = undefined;
      nextFetch = find(kid) ? 0 : environment.now() + LOOKUP_INTERVAL_MS;
    } catch (error) {
      failure = new IssuerError((error as Error).message, { cause: error });
      nextFetch = environment.now() + (keySet ? LOOKUP_INTERVAL_MS : RETRY_INTERVAL_MS);
    }
  }

  return async (kid) => {
    if (keySet && environment.now() >= keySet.expiresAt) {
      keySet = undefined;
      nextFetch = 0;
    }
    if (!find(kid) && (fetching || environment.now() >= nextFetch)) {
      fetching ??= refresh(kid).finally(() => {
        fetching = undefined;
      });
      await fetching;
    }
    const key = find(kid);
    if (!key && failure) throw failure;
    return key;
  };
}

/** Discovers the URL of the keys with the first ones. */
async function fetchKeySet(issuer: string, known: KeySet | undefined): Promise<KeySet> {
  const uri = known?.uri ?? (await discoverJwksUri(issuer));
  const jwks = await new SimpleJwksCache({ fetcher: issuerFetcher }).getJwks(uri);
  return { uri, jwks, expiresAt: known?.expiresAt ?? environment.now() + KEY_CACHE_TTL_MS };
}

const FETCH_TIMEOUT_MS = 3_000;
const httpsFetcher = new SimpleFetcher();

/** The fetcher for aws-jwt-verify, whose own supports https only; tests and local runs need http on loopback. */
const issuerFetcher = {
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

const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url() });

/**
 * Finds the URL of the issuer's keys as API Gateway does:
 * https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 */
async function discoverJwksUri(issuer: string): Promise<string> {
  const uri = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = new TextDecoder().decode(await issuerFetcher.fetch(uri));
  const { issuer: named, jwks_uri } = discoveryDocument.parse(JSON.parse(document));
  if (named !== issuer) throw new Error(`${uri} names the issuer ${named} instead of ${issuer}`);
  return jwks_uri;
}
