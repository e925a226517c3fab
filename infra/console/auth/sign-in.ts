import { setToken } from '../api/access-token.ts';
import type { SignInSettings } from '../settings.ts';
import { clearDrafts } from '../user/drafts.ts';
import { createAuthorizationUrl, createRandomText, discover, exchangeCode, type PendingSignIn } from './pkce.ts';

const KEY = 'pending-sign-in';

const redirectUri = () => `${location.origin}/`;

/** Leaves the page for the issuer's. */
export async function signIn(settings: SignInSettings): Promise<void> {
  const pending: PendingSignIn = {
    state: createRandomText(),
    verifier: createRandomText(),
    returnTo: location.search,
  };
  sessionStorage.setItem(KEY, JSON.stringify(pending));
  const { authorization_endpoint } = await discover(settings.issuer);
  location.assign(await createAuthorizationUrl(authorization_endpoint, settings, pending, redirectUri()));
}

/** If the issuer has just sent the person back: keeps the token, and restores the address of before. */
export async function finishSignIn(settings: SignInSettings): Promise<void> {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state') || !(answer.has('code') || answer.has('error'))) return;
  const stored = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  const pending: PendingSignIn | undefined = stored ? JSON.parse(stored) : undefined;
  history.replaceState(null, '', pending?.returnTo || '/');
  dispatchEvent(new PopStateEvent('popstate'));
  const { token_endpoint } = await discover(settings.issuer);
  const { accessToken, expiresAt } = await exchangeCode(token_endpoint, settings, pending, answer, redirectUri());
  setToken(accessToken, expiresAt);
}

export function signOut(): void {
  clearDrafts();
  setToken(undefined);
}
