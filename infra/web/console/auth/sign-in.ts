import type { User, UserManager } from 'oidc-client-ts';
import { sendDeletions } from '../deletions.ts';
import { forgetImports } from '../import/import-id.ts';
import { notify } from '../notices.tsx';
import { queryClient } from '../query-client.ts';
import type { ConsoleSettings, SignInSettings } from '../settings.ts';
import { clearDrafts, hasDrafts } from '../user/drafts.ts';
import {
  accessToken,
  forgetSignIn,
  renewToken,
  setLeaving,
  setRenewal,
  setToken,
  storeToken,
  takeSharedToken,
} from './access-token.ts';
import { tabStorage } from './tab-storage.ts';
import { authSettings } from './token.ts';

let managing: Promise<UserManager> | undefined;

/** Only those who sign in load the library. */
function loadManager(settings: SignInSettings): Promise<UserManager> {
  managing ??= createManager(settings).catch((error) => {
    // The next attempt asks the issuer again.
    managing = undefined;
    throw error;
  });
  return managing;
}

async function createManager(settings: SignInSettings): Promise<UserManager> {
  const { createUserManager, discover } = await import('./oidc.ts');
  const manager = createUserManager(settings, await discover(settings.issuer));
  manager.events.addUserLoaded(keepToken);
  manager.events.addAccessTokenExpiring(() => void renewToken());
  // Another tab may have renewed the token. This starts the time until it expires, as at first.
  accessToken.subscribe(() => void manager.getUser());
  subject = (await manager.getUser())?.profile.sub;
  return manager;
}

let subject: string | undefined;

function keepToken({ access_token, expires_at, profile }: User): void {
  const isAnotherPerson = subject !== undefined && subject !== profile.sub;
  subject = profile.sub;
  const expiresAt = expires_at === undefined ? undefined : expires_at * 1000;
  if (isAnotherPerson) {
    // What is shown, was typed, or waits for a token, belongs to the person before.
    clearDrafts();
    storeToken(access_token, expiresAt);
    location.reload();
  } else setToken(access_token, expiresAt);
}

/** Leaves the page for the issuer's. */
export async function signIn(settings: SignInSettings): Promise<void> {
  const manager = await loadManager(settings);
  await manager.signinRedirect({ state: location.search });
}

/** Signs in in another window, while this page waits with all that it shows and does. */
export async function signInAgain(settings: SignInSettings): Promise<void> {
  const manager = await loadManager(settings);
  await manager.signinPopup();
}

/**
 * Ends a sign-in, if the issuer has just sent the person back, and restores the address of before. Otherwise the token of
 * before is renewed when it expires.
 */
export async function resumeSignIn(settings: SignInSettings): Promise<void> {
  setRenewal(() => renewOnce(settings));
  const response = new URLSearchParams(location.search);
  const state = response.get('state');
  if (state !== null && (response.has('code') || response.has('error'))) return finishSignIn(settings, state);
  // It renews the token in time; the page does not wait for that.
  if (accessToken.get() !== undefined) loadManager(settings).catch(() => {});
  return undefined;
}

/** An issuer may accept a refresh token once only. Of all tabs, one at a time renews; the others take its token. */
async function renewOnce(settings: SignInSettings): Promise<void> {
  const manager = await loadManager(settings);
  const expiring = accessToken.get();
  await navigator.locks.request('renew-token', async () => {
    const isRenewed = takeSharedToken() || accessToken.get() !== expiring;
    if (!isRenewed) await manager.signinSilent();
  });
}

const POPUP_CLOSES_WITHIN_MS = 1000;

async function finishSignIn(settings: SignInSettings, state: string): Promise<void> {
  const { href } = location;
  history.replaceState(null, '', '/');
  const manager = await loadManager(settings);
  if ((await manager.settings.stateStore.get(state)) === null) {
    // The window that has opened this one knows of the sign-in, and closes it.
    await manager.signinPopupCallback(href);
    await pause(POPUP_CLOSES_WITHIN_MS);
    throw new Error('The response belongs to another sign-in');
  }
  const signingIn = manager.signinRedirectCallback(href);
  const { state: search } = await signingIn.catch((error: { state?: unknown }) => error);
  history.replaceState(null, '', typeof search === 'string' && search.startsWith('?') ? search : '/');
  dispatchEvent(new PopStateEvent('popstate'));
  await signingIn;
}

export function reportNotSignedIn(error: Error): void {
  notify({ message: `Not signed in: ${error.message}`, tone: 'error' });
}

/** Other pages lead here for a sign-in. Returns the path to which it leads back: one of those that the header links. */
export function findReturnPath({ links }: ConsoleSettings): string | undefined {
  const wanted = new URLSearchParams(location.search).get('return');
  return links.find(({ path }) => path === wanted)?.path;
}

const MAX_WAIT_MS = 2000;
const SAVE_POLL_MS = 50;

const pause = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, ms, undefined));

async function awaitSaves(): Promise<void> {
  while (queryClient.isMutating() > 0) await pause(SAVE_POLL_MS);
}

/** Forgets what the tab keeps. Drafts would be stored again with the next change of one, and so would an answer of the issuer. */
export function forgetPerson(): void {
  clearDrafts();
  forgetImports();
  tabStorage.clear();
  addEventListener('pagehide', () => tabStorage.clear());
}

/** What was typed stays for the same person, below the dialog that asks for a sign-in. */
setLeaving((reason) => {
  if (reason === 'signed-out' && hasDrafts()) return false;
  forgetPerson();
  location.assign('/');
  return true;
});

/** Forgets everything about the person: storage here, memory by leaving the page, and tokens and session at the issuer. */
export async function signOut(): Promise<void> {
  // A network that hangs must not keep the person signed in: all requests together wait for so long.
  const limit = pause(MAX_WAIT_MS);
  const within = <T>(promise: Promise<T>) => Promise.race([promise.catch(() => undefined), limit]);
  // They need the token. Deletions go on when the page is left; what is being saved would be lost.
  await within(Promise.all([sendDeletions(), awaitSaves()]));
  if (hasDrafts() && !confirm('What you have typed is not saved yet. Sign out without saving it?')) return;
  const settings = authSettings.get();
  const manager = settings.kind === 'sign-in' ? await within(loadManager(settings)) : undefined;
  // Without its session, a token that Keycloak gave for offline access would be valid still.
  if (manager) await within(manager.revokeTokens());
  const idToken = (await manager?.getUser())?.id_token;
  forgetPerson();
  forgetSignIn();
  // The browser may keep the page for its Back button.
  addEventListener('pageshow', () => location.reload());
  // Not every issuer has a page to sign out.
  await manager?.signoutRedirect(createSignOut(manager.settings, idToken)).catch(() => {});
  location.assign('/');
}

/** https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout; Cognito asks for `logout_uri`, which others ignore. */
const createSignOut = ({ client_id, post_logout_redirect_uri = '' }: UserManager['settings'], idToken?: string) => ({
  client_id,
  ...(idToken ? { id_token_hint: idToken } : {}),
  extraQueryParams: { logout_uri: post_logout_redirect_uri },
});
