import { SimpleFetcher } from 'aws-jwt-verify/https';
import { findJwkInJwks, type Jwks, type JwkWithKid, SimpleJwksCache } from 'aws-jwt-verify/jwk';
import * as z from 'zod/mini';
import { environment } from '../environment.ts';

export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);

export function isAllowedIssuerUrl(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

/** API Gateway also caches keys for two hours, so both APIs reject a withdrawn key after this time. */
const KEY_CACHE_TTL_MS = 2 * 60 * 60 * 1000;

/** Minimum interval between fetches for unknown key ids, which anyone can send. */
const LOOKUP_INTERVAL_MS = 10_000;

/**
 * Minimum interval between failed fetches while no keys are loaded. Short, because no token can be verified meanwhile.
 */
const RETRY_INTERVAL_MS = 1_000;

/** The issuer's keys cannot be fetched. The token may be valid. */
export class IssuerError extends Error {}

type KeySet = { uri: string; jwks: Jwks; expiresAt: number };

export class IssuerKeys {
  readonly #issuer: string;
  #keySet: KeySet | undefined;
  #nextFetch = 0;
  #failure: IssuerError | undefined;
  #fetching: Promise<void> | undefined;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  /** Undefined for an unknown key id. Throws an IssuerError if the keys cannot be fetched. */
  async find(kid: string): Promise<JwkWithKid | undefined> {
    if (this.#keySet && environment.now() >= this.#keySet.expiresAt) {
      this.#keySet = undefined;
      this.#nextFetch = 0;
    }
    const known = this.#findKnown(kid);
    if (known) return known;
    if (!this.#fetching && environment.now() >= this.#nextFetch) this.#fetching = this.#fetch(kid);
    await this.#fetching;
    const fetched = this.#findKnown(kid);
    if (!fetched && this.#failure) throw this.#failure;
    return fetched;
  }

  #findKnown(kid: string): JwkWithKid | undefined {
    return this.#keySet && findJwkInJwks(this.#keySet.jwks, kid);
  }

  async #fetch(kid: string): Promise<void> {
    try {
      this.#keySet = await fetchKeySet(this.#issuer, this.#keySet);
      this.#failure = undefined;
      this.#nextFetch = this.#findKnown(kid) ? 0 : environment.now() + LOOKUP_INTERVAL_MS;
    } catch (error) {
      this.#failure = new IssuerError((error as Error).message, { cause: error });
      this.#nextFetch = environment.now() + (this.#keySet ? LOOKUP_INTERVAL_MS : RETRY_INTERVAL_MS);
    } finally {
      this.#fetching = undefined;
    }
  }
}

async function fetchKeySet(issuer: string, known: KeySet | undefined): Promise<KeySet> {
  const uri = known?.uri ?? (await discoverJwksUri(issuer));
  const jwks = await new SimpleJwksCache({ fetcher: issuerFetcher }).getJwks(uri);
  return { uri, jwks, expiresAt: known?.expiresAt ?? environment.now() + KEY_CACHE_TTL_MS };
}

const FETCH_TIMEOUT_MS = 3_000;
const httpsFetcher = new SimpleFetcher();

/** SimpleFetcher supports only https, but tests and local runs need http on loopback. */
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

/** Finds the keys as API Gateway does: https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig */
async function discoverJwksUri(issuer: string): Promise<string> {
  const uri = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = new TextDecoder().decode(await issuerFetcher.fetch(uri));
  const { issuer: named, jwks_uri } = discoveryDocument.parse(JSON.parse(document));
  if (named !== issuer) throw new Error(`${uri} names the issuer ${named} instead of ${issuer}`);
  return jwks_uri;
}
