import { UserManager, WebStorageStateStore } from 'oidc-client-ts';
import * as z from 'zod/mini';
import type { SignInSettings } from '../settings.ts';
import { sharedStorage, tabStorage } from './page-storage.ts';

const metadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  scopes_supported: z._default(z.array(z.string()), []),
});

type Metadata = z.infer<typeof metadata>;

const MAX_WAIT_SECONDS = 10;

/** https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationRequest */
export async function discover(issuer: string): Promise<Metadata> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(MAX_WAIT_SECONDS * 1000),
  }).catch(() => undefined);
  if (!response) throw new Error('The issuer cannot be reached');
  if (!response.ok) throw new Error(`The issuer's configuration cannot be loaded: ${response.status}`);
  const { data } = metadata.safeParse(await response.json());
  // RFC 8414 section 3.3 requires this check, which the library omits.
  if (data?.issuer !== issuer) throw new Error("The issuer's configuration is incomplete, or names another issuer");
  return data;
}

/**
 * Auth0 and Entra ID need this scope for a refresh token, and list it as supported. Cognito does not need it, and
 * rejects unknown scopes. https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess
 */
const OFFLINE_ACCESS = 'offline_access';

export function chooseScope(scope: string, supported: string[]): string {
  const isMissing = supported.includes(OFFLINE_ACCESS) && !scope.split(' ').includes(OFFLINE_ACCESS);
  return isMissing ? `${scope} ${OFFLINE_ACCESS}` : scope;
}

/** Authorization code flow with PKCE (RFC 7636). */
export function createUserManager({ issuer, clientId, scope, audience }: SignInSettings, metadata: Metadata) {
  // Pages over plain HTTP from other machines have no `crypto.subtle`.
  if (!crypto.subtle) throw new Error('Browsers allow sign-in only over https, or on the machine of the service');
  const redirectUri = `${location.origin}/`;
  return new UserManager({
    authority: issuer,
    metadata,
    client_id: clientId,
    scope: chooseScope(scope, metadata.scopes_supported),
    redirect_uri: redirectUri,
    // Disables hidden frames for renewals: our content security policy forbids frames, and browsers block cookies in
    // them.
    silent_redirect_uri: '',
    post_logout_redirect_uri: redirectUri,
    // Required by Auth0, ignored by other issuers.
    extraQueryParams: { audience },
    userStore: new WebStorageStateStore({ store: sharedStorage }),
    // Stored per tab, because a sign-in must end in the tab that started it.
    stateStore: new WebStorageStateStore({ store: tabStorage }),
    // `sign-in.ts` renews instead, so that only one tab uses each refresh token.
    automaticSilentRenew: false,
    revokeTokenTypes: ['refresh_token'],
    requestTimeoutInSeconds: MAX_WAIT_SECONDS,
  });
}
