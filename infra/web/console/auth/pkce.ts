import * as z from 'zod/mini';
import type { SignInSettings } from '../settings.ts';

/** The page must remember these while the person signs in elsewhere. */
export const pendingSignIn = z.object({ state: z.string(), verifier: z.string(), returnTo: z.string() });

export type PendingSignIn = z.infer<typeof pendingSignIn>;

export type Token = { accessToken: string; idToken?: string | undefined; expiresAt: number };

const metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  end_session_endpoint: z.optional(z.string()),
});

type Metadata = z.infer<typeof metadata>;

/** RFC 6749 section 5.1 defines the response. */
const tokenResponse = z.object({
  access_token: z.string(),
  id_token: z.optional(z.string()),
  expires_in: z.optional(z.number()),
});

/** RFC 6749 section 5.2 defines the response. */
const errorResponse = z.object({ error: z.optional(z.string()), error_description: z.optional(z.string()) });

/** https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationRequest */
export async function discover(issuer: string): Promise<Metadata> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(`The issuer's configuration cannot be loaded: ${response.status}`);
  const { data } = metadata.safeParse(await response.json());
  // RFC 8414 section 3.3: the configuration must name the issuer.
  if (data?.issuer !== issuer) throw new Error('The configuration is incomplete, or that of another issuer');
  return data;
}

/** Starts the authorization code flow with PKCE (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
export async function createAuthorizationUrl(
  endpoint: string,
  { clientId, scope, audience }: SignInSettings,
  { state, verifier }: PendingSignIn,
  redirectUri: string,
): Promise<string> {
  const url = new URL(endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    // Auth0 asks for it; others ignore it.
    audience,
    state,
    code_challenge: await hashVerifier(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Ends the flow (RFC 6749 section 4.1.3). Throws if the response belongs to no sign-in of this page. */
export async function exchangeCode(
  tokenEndpoint: string,
  { clientId }: SignInSettings,
  pending: PendingSignIn | undefined,
  authorizationResponse: URLSearchParams,
  redirectUri: string,
): Promise<Token> {
  const { state, code, error, error_description } = Object.fromEntries(authorizationResponse);
  if (!pending || state !== pending.state) throw new Error('The response belongs to another sign-in');
  if (!code) throw new Error(error_description ?? error ?? 'The issuer sent no code');
  const response = await fetch(tokenEndpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: redirectUri,
      code_verifier: pending.verifier,
    }),
  });
  if (!response.ok) throw new Error(await readReason(response));
  const { data } = tokenResponse.safeParse(await response.json());
  if (!data) throw new Error('The issuer sent no token');
  const expiresAt = Date.now() + (data.expires_in ?? 3600) * 1000;
  return { accessToken: data.access_token, idToken: data.id_token, expiresAt };
}

/** Reads the reason of a rejection. A proxy before the issuer may answer with a page instead. */
async function readReason(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  const { error_description, error } = errorResponse.safeParse(body).data ?? {};
  return error_description ?? error ?? `The issuer answered ${response.status}`;
}

/**
 * Returns where the person signs out: at the issuer if it offers that, and then at the redirect URI.
 * https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout
 */
export function createEndSessionUrl(
  { end_session_endpoint }: Pick<Metadata, 'end_session_endpoint'>,
  { clientId }: SignInSettings,
  { idToken }: Pick<Token, 'idToken'>,
  redirectUri: string,
): string {
  if (!end_session_endpoint) return redirectUri;
  const url = new URL(end_session_endpoint);
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('post_logout_redirect_uri', redirectUri);
  // Cognito asks for it instead; others ignore it.
  url.searchParams.set('logout_uri', redirectUri);
  if (idToken) url.searchParams.set('id_token_hint', idToken);
  return url.href;
}

/** Returns 256 random bits (RFC 7636 section 7.1). */
export const createRandomText = (): string => encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));

async function hashVerifier(verifier: string): Promise<string> {
  // Browsers leave `crypto.subtle` out on pages that are served over plain HTTP to other machines.
  if (!crypto.subtle) throw new Error('Browsers allow sign-in only over https, or on the machine of the service');
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

const encodeBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
