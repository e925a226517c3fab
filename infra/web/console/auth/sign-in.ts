import { sendDeletions } from '../deletions.ts';
import { forgetImports } from '../import/import-id.ts';
import { notify } from '../notices.tsx';
import type { SignInSettings } from '../settings.ts';
import { parseJson } from '../store.ts';
import { clearDrafts } from '../user/drafts.ts';
import { setToken } from './access-token.ts';
import type { PendingSignIn } from './pkce.ts';

/** Only those who sign in load it. */
const loadPkce = () => import('./pkce.ts');

const MAX_WAIT_MS = 2000;

const PENDING_KEY = 'pending-sign-in';
const END_SESSION_KEY = 'end-session-url';

const redirectUri = () => `${location.origin}/`;

/** Leaves the page for the issuer's. */
export async function signIn(settings: SignInSettings): Promise<void> {
  const { createAuthorizationUrl, createRandomText, discover } = await loadPkce();
  const pending: PendingSignIn = {
    state: createRandomText(),
    verifier: createRandomText(),
    returnTo: location.search,
  };
  sessionStorage.setItem(PENDING_KEY, JSON.stringify(pending));
  const { authorization_endpoint } = await discover(settings.issuer);
  location.assign(await createAuthorizationUrl(authorization_endpoint, settings, pending, redirectUri()));
}

/** Keeps the token and restores the address of before, if the issuer has just sent the person back. */
export async function finishSignIn(settings: SignInSettings): Promise<void> {
  const authorizationResponse = new URLSearchParams(location.search);
  if (!authorizationResponse.has('state')) return;
  if (!authorizationResponse.has('code') && !authorizationResponse.has('error')) return;
  const { createEndSessionUrl, discover, exchangeCode, pendingSignIn } = await loadPkce();
  const pending = pendingSignIn.safeParse(parseJson(sessionStorage.getItem(PENDING_KEY))).data;
  sessionStorage.removeItem(PENDING_KEY);
  history.replaceState(null, '', pending?.returnTo || '/');
  dispatchEvent(new PopStateEvent('popstate'));
  const metadata = await discover(settings.issuer);
  const token = await exchangeCode(metadata.token_endpoint, settings, pending, authorizationResponse, redirectUri());
  sessionStorage.setItem(END_SESSION_KEY, createEndSessionUrl(metadata, settings, token, redirectUri()));
  setToken(token.accessToken, token.expiresAt);
}

export function reportNotSignedIn(error: Error): void {
  notify({ message: `Not signed in: ${error.message}`, tone: 'error' });
}

/** Forgets everything about the person: storage here, memory by leaving the page, and the session at the issuer. */
export async function signOut(): Promise<void> {
  // They need the token, and go on when the page is left. A network that hangs must not keep the person signed in.
  await Promise.race([sendDeletions(), new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
  const url = sessionStorage.getItem(END_SESSION_KEY) ?? '/';
  // Drafts would be stored again with the next change of one.
  clearDrafts();
  sessionStorage.clear();
  forgetImports();
  // The browser may keep the page for its Back button.
  addEventListener('pageshow', () => location.reload());
  location.assign(url);
}
