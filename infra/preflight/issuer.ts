import * as z from 'zod';
import { type Finding, fails, fine, note } from '../scripts/points.ts';
import type { Settings } from '../settings/settings.ts';

const discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.url({ protocol: /^https$/ }),
  token_endpoint: z.url().optional(),
  scopes_supported: z.array(z.string()).optional(),
});
const keySet = z.object({ keys: z.array(z.object({ kty: z.string(), use: z.string().optional() })) });

const TIMEOUT_MS = 10_000;

/** API Gateway and the functions load the same documents. */
export async function checkIssuer(settings: Settings, fetchUrl: typeof fetch): Promise<Finding> {
  const { issuer = '', audience, console, consoleTokenOrigin, readScope, writeScope } = settings;
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = discovery.safeParse(await load(url, fetchUrl)).data;
  if (!document) return fails(`${url} does not answer with a discovery document over https. Correct issuer`);
  if (document.issuer !== issuer) return fails(`${url} names the issuer ${document.issuer}. Set issuer to it, exactly`);
  const keys = keySet.safeParse(await load(document.jwks_uri, fetchUrl)).data?.keys;
  if (!keys) return fails(`${document.jwks_uri} does not answer with keys. Make it reachable from AWS`);
  if (!keys.some(({ kty, use }) => kty === 'RSA' && use !== 'enc'))
    return fails(`${document.jwks_uri} has no RSA key. Let the provider sign access tokens with RS256`);
  const origin = document.token_endpoint && new URL(document.token_endpoint).origin;
  if (console && origin && origin !== (consoleTokenOrigin ?? new URL(issuer).origin))
    return fails(`the console gets tokens from ${origin}. Set consoleTokenOrigin to it`);
  const missing = [readScope, writeScope].filter((scope) => !(document.scopes_supported ?? [scope]).includes(scope));
  if (missing.length > 0)
    return note(`the provider does not list the scopes ${missing.join(', ')}. Check that access tokens contain them`);
  return fine(`${issuer} and its keys; access tokens need the audience ${audience.join(' or ')}`);
}

/** Returns undefined for an answer that is not JSON, or none. */
async function load(url: string, fetchUrl: typeof fetch): Promise<unknown> {
  return fetchUrl(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    .then((response) => (response.ok ? response.json() : undefined))
    .catch(() => undefined);
}
