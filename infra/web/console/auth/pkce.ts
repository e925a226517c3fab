import type { SignInSettings } from '../settings.ts';

/** What the page must remember while the person signs in elsewhere. */
export type PendingSignIn = { state: string; verifier: string; returnTo: string };

export type Token = { accessToken: string; idToken?: string; expiresAt: number };

type Metadata = { authorization_endpoint: string; token_endpoint: string; end_session_endpoint?: string };

/** https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationRequest */
export async function discover(issuer: string): Promise<Metadata> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(`The issuer's configuration cannot be loaded: ${response.status}`);
  const metadata: Metadata & { issuer: string } = await response.json();
  // RFC 8414 section 3.3: it must be that of the issuer.
  if (metadata.issuer !== issuer) throw new Error('The configuration is that of another issuer');
  return metadata;
}

/** The start of the authorization code flow with PKCE (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
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

/** The end of the flow (RFC 6749 section 4.1.3). Throws if the response belongs to no sign-in of this page. */
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
  const body = await response.json();
  const expiresAt = Date.now() + (body.expires_in ?? 3600) * 1000;
  return { accessToken: body.access_token, idToken: body.id_token, expiresAt };
}

/** RFC 6749 section 5.2. What stands before the issuer may answer with a page instead. */
async function readReason(response: Response): Promise<string> {
  const { error_description, error } = Object(await response.json().catch(() => undefined));
  return error_description ?? error ?? `The issuer answered ${response.status}`;
}

/**
 * Where the person signs out: at the issuer if it offers that, and then at the redirect URI.
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

/** 256 random bits (RFC 7636 section 7.1). */
export const createRandomText = (): string => encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));

async function hashVerifier(verifier: string): Promise<string> {
  // Browsers leave it out on pages that are served over plain HTTP to other machines.
  if (!crypto.subtle) throw new Error('Browsers allow sign-in only over https, or on the machine of the service');
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

const encodeBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
