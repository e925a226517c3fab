import type { User, UserManager } from 'oidc-client-ts';
import { pause } from '../../../../lib/client/transport.ts';
import { sendDeletions } from '../deletions.ts';
import { forgetImports } from '../import/import-id.ts';
import { stopJobs } from '../jobs.ts';
import { hasUnsavedDialog, isWorking, leaveUnasked } from '../leaving.ts';
import { notify } from '../notices.tsx';
import { queryClient } from '../query-client.ts';
import type { ConsoleSettings, SignInSettings } from '../settings.ts';
import { clearDrafts, hasDrafts } from '../user/drafts.ts';
import { forgetTypedViews } from '../users/saved-views.tsx';
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
import { tabStorage } from './page-storage.ts';
import { authSettings } from './token.ts';

let managing: Promise<UserManager> | undefined;

/** Loads the library on the first call, so pages without sign-in never load it. */
function loadManager(settings: SignInSettings): Promise<UserManager> {
  managing ??= createManager(settings).catch((error) => {
    managing = undefined;
    throw error;
  });
  return managing;
}

async function createManager(settings: SignInSettings): Promise<UserManager> {
  const { createUserManager, discover } = await import('./oidc.ts');
  const manager = createUserManager(settings, await discover(settings.issuer));
  manager.events.addUserLoaded(keepToken);
  manager.events.addAccessTokenExpiring(() => void renewToken().catch(() => {}));
  // Another tab may have renewed the token. `getUser` loads it, and restarts the expiry timer.
  accessToken.subscribe(() => void manager.getUser());
  const user = await manager.getUser();
  subject = user?.profile.sub;
  hasRefreshToken = user?.refresh_token !== undefined;
  return manager;
}

let subject: string | undefined;
let hasRefreshToken = false;

function keepToken({ access_token, refresh_token, expires_at, profile }: User): void {
  hasRefreshToken = refresh_token !== undefined;
  const isAnotherPerson = subject !== undefined && subject !== profile.sub;
  subject = profile.sub;
  const expiresAt = expires_at === undefined ? undefined : expires_at * 1000;
  if (isAnotherPerson) {
    // Data, drafts and waiting requests belong to the previous person.
    clearDrafts();
    storeToken(access_token, expiresAt);
    leaveUnasked();
    location.reload();
  } else setToken(access_token, expiresAt);
}

export async function signIn(settings: SignInSettings): Promise<void> {
  const manager = await loadManager(settings);
  await manager.signinRedirect({ state: location.search });
}

/** Uses another window, so that this page keeps its state. */
export async function signInAgain(settings: SignInSettings): Promise<void> {
  const manager = await loadManager(settings);
  await manager.signinPopup();
}

/** After the issuer's redirect, completes the sign-in. Otherwise schedules the renewal. */
export async function resumeSignIn(settings: SignInSettings): Promise<void> {
  setRenewal(() => renewOnce(settings));
  const response = new URLSearchParams(location.search);
  const state = response.get('state');
  if (state !== null && (response.has('code') || response.has('error'))) return finishSignIn(settings, state);
  // Not awaited: the library renews the token before it expires.
  if (accessToken.get() !== undefined) loadManager(settings).catch(() => {});
  return undefined;
}

/** Renews in one tab at a time: issuers may accept a refresh token only once. Other tabs adopt the new token. */
async function renewOnce(settings: SignInSettings): Promise<boolean> {
  const manager = await loadManager(settings);
  const expiring = accessToken.get();
  return navigator.locks.request('renew-token', async () => {
    if (takeSharedToken() || accessToken.get() !== expiring) return true;
    if (!hasRefreshToken) return false;
    try {
      await manager.signinSilent();
      return true;
    } catch (error) {
      // The issuer has rejected the refresh token. All other errors may be temporary.
      if (error instanceof Error && error.name === 'ErrorResponse') return false;
      throw error;
    }
  });
}

const POPUP_CLOSES_WITHIN_MS = 1000;

async function finishSignIn(settings: SignInSettings, state: string): Promise<void> {
  const { href } = location;
  history.replaceState(null, '', '/');
  const manager = await loadManager(settings);
  if ((await manager.settings.stateStore.get(state)) === null) {
    // The opening window closes this popup.
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

export const explainNotSignedIn = ({ message }: Error): string => `Not signed in: ${message}`;

/** Forms show the error themselves: a dialog covers notices. */
export const reportNotSignedIn = (error: Error): void => notify({ message: explainNotSignedIn(error), tone: 'error' });

/** Allows only paths of the header's links. */
export function findReturnPath({ links }: ConsoleSettings): string | undefined {
  const wanted = new URLSearchParams(location.search).get('return');
  return links.find(({ path }) => path === wanted)?.path;
}

const MAX_WAIT_MS = 2000;
const SAVE_POLL_MS = 50;

async function awaitSaves(): Promise<void> {
  while (queryClient.isMutating() > 0 || isWorking()) await pause(SAVE_POLL_MS);
}

/** Also clears the storage when the page is left: a draft or a response of the issuer may arrive before. */
function clearStorage(): void {
  clearDrafts();
  forgetImports();
  forgetTypedViews();
  tabStorage.clear();
  addEventListener('pagehide', () => tabStorage.clear());
}

const hasUnsaved = () => hasDrafts() || hasUnsavedDialog();

/** On a sign-out in another tab, a page with drafts or running work stays open below the sign-in dialog. */
setLeaving((reason) => {
  if (reason === 'signed-out' && (hasUnsaved() || isWorking())) return false;
  clearStorage();
  leaveUnasked();
  location.assign('/');
  return true;
});

const STOPS_WORK = 'Work on many users is under way, and may stop halfway. Sign out?';

/** Leaves the page to clear its memory, and ends tokens and session at the issuer. */
export async function signOut(): Promise<void> {
  if (isWorking() && !confirm(STOPS_WORK)) return;
  stopJobs();
  // A hanging network must not keep the person signed in.
  const within = <T>(promise: Promise<T>) =>
    Promise.race([promise, pause(MAX_WAIT_MS).then(() => undefined)]).catch(() => undefined);
  // Waits for pending requests, which need the token. Leaving the page would abort saves.
  await within(Promise.all([sendDeletions(), awaitSaves()]));
  if (hasUnsaved() && !confirm('What you have typed is not saved yet. Sign out without saving it?')) return;
  const settings = authSettings.get();
  const manager = settings.kind === 'sign-in' ? await within(loadManager(settings)) : undefined;
  // Revokes tokens, because offline tokens of Keycloak outlive the session.
  if (manager) await within(manager.revokeTokens());
  const idToken = (await manager?.getUser())?.id_token;
  clearStorage();
  forgetSignIn();
  // The browser must not ask: a page without a token is of no use.
  leaveUnasked();
  // Reloads a page from the back/forward cache, which must not show old data.
  addEventListener('pageshow', () => location.reload());
  // Ignores errors, because the issuer may have no sign-out page.
  await manager?.signoutRedirect(createSignOut(manager.settings, idToken)).catch(() => {});
  location.assign('/');
}

/**
 * https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout. Cognito needs `logout_uri`, which other
 * issuers ignore.
 */
const createSignOut = ({ client_id, post_logout_redirect_uri = '' }: UserManager['settings'], idToken?: string) => ({
  client_id,
  ...(idToken ? { id_token_hint: idToken } : {}),
  extraQueryParams: { logout_uri: post_logout_redirect_uri },
});
