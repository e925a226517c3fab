import { createStore } from '../store.ts';
import { readClaims } from './claims.ts';
import { sharedStorage, TOKEN_KEY, tabStorage } from './page-storage.ts';

const EXPIRY_KEY = 'access-token-expires-at';
/** A change of this key signs out other tabs. */
const SIGN_OUT_KEY = 'signed-out-at';
const PERSON_KEY = 'person';

const readStored = (): string | undefined => sharedStorage.getItem(TOKEN_KEY) ?? undefined;

export const accessToken = createStore<string | undefined>(readStored());

/** Remains after an expiry or rejection, so that the page still shows the actions that the token allowed. */
export const latestToken = createStore(accessToken.get());

export type Rejection = { hasExpired: boolean; reason: string };

export const rejection = createStore<Rejection | undefined>(undefined);

/** The current page uses the token only after its next load. */
export function storeToken(token: string | undefined, expiresAt?: number): void {
  if (token === readStored() && expiresAt === undefined) return;
  if (token) {
    // Stores the expiry first: a change of the token notifies other tabs.
    sharedStorage.setItem(EXPIRY_KEY, String(expiresAt ?? Number.MAX_SAFE_INTEGER));
    sharedStorage.setItem(TOKEN_KEY, token);
  } else {
    sharedStorage.removeItem(TOKEN_KEY);
    sharedStorage.removeItem(EXPIRY_KEY);
  }
}

export function setToken(token: string | undefined, expiresAt?: number): void {
  storeToken(token, expiresAt);
  if (token && isOfAnother(token) && depart('another-person')) return;
  applyToken(token);
}

function applyToken(token: string | undefined): void {
  if (token) {
    rejection.set(() => undefined);
    latestToken.set(() => token);
    if (tabStorage.getItem(PERSON_KEY) === null) storePerson(token);
  }
  accessToken.set(() => token);
}

function storePerson(token: string): void {
  const person = readClaims(token)?.sub;
  if (person) tabStorage.setItem(PERSON_KEY, person);
}

/** Whether this tab's data and drafts belong to another person. */
function isOfAnother(token: string): boolean {
  const [last, person] = [tabStorage.getItem(PERSON_KEY), readClaims(token)?.sub];
  return last !== null && person !== undefined && last !== person;
}

/** Returns whether the tab belonged to another person. */
export function takeOverTab(): boolean {
  const token = readStored();
  if (!token) return false;
  const wasOfAnother = isOfAnother(token);
  storePerson(token);
  return wasOfAnother;
}

let isLeaving = false;
/**
 * Returns true if it leaves the page. The default is for GraphiQL and the reference, which keep typed text and only
 * reload at a sign-out.
 */
let leave = (reason: 'signed-out' | 'another-person'): boolean => {
  if (reason === 'another-person') return false;
  location.reload();
  return true;
};

export function setLeaving(leaving: typeof leave): void {
  leave = leaving;
}

function depart(reason: 'signed-out' | 'another-person'): boolean {
  isLeaving ||= leave(reason);
  return isLeaving;
}

/** True if there is a new token, or if the page is being left. */
export function takeSharedToken(): boolean {
  const token = readStored();
  if (isLeaving || isIgnoring || token === accessToken.get()) return false;
  if (token && isOfAnother(token) && depart('another-person')) return true;
  if (!token) rejection.set(() => ({ hasExpired: true, reason: 'It has ended in another tab.' }));
  applyToken(token);
  return token !== undefined;
}

let isIgnoring = false;

/** Call this if the service requires no tokens. Stored tokens belong to another service on this origin. */
export function ignoreTokens(): void {
  isIgnoring = true;
  accessToken.set(() => undefined);
}

export function forgetSignIn(): void {
  // Notifies other tabs before it removes the token, so that they can still send pending requests.
  sharedStorage.setItem(SIGN_OUT_KEY, String(Date.now()));
  removeSignIn();
  // Removes the token again when the page is left: until then, a pending response of the issuer may store one.
  addEventListener('pagehide', removeSignIn);
}

function removeSignIn(): void {
  for (const key of sharedStorage.listKeys()) if (key.startsWith('oidc.')) sharedStorage.removeItem(key);
  storeToken(undefined);
}

export function dropExpiredToken(): void {
  if (isExpired()) setToken(undefined);
}

addEventListener('storage', ({ key }) => {
  if (key === SIGN_OUT_KEY && latestToken.get() !== undefined) depart('signed-out');
  if (key === TOKEN_KEY) takeSharedToken();
});
// A page from the back/forward cache has received no storage events.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) takeSharedToken();
});

/** Removes the token, but keeps drafts. */
export function rejectToken(reason: Rejection): void {
  if (takeSharedToken()) return;
  // Sets the reason first: requests without a token wait only if a reason is set.
  rejection.set(() => reason);
  setToken(undefined);
}

const readExpiry = () => Number(sharedStorage.getItem(EXPIRY_KEY));

/** False if the expiry is unknown: for a pasted token, or if another tab has replaced it. */
function isExpired(): boolean {
  const token = accessToken.get();
  return token !== undefined && token === readStored() && readExpiry() < Date.now();
}

const rejectExpired = () => rejectToken({ hasExpired: true, reason: `It expired at ${formatExpiry(readExpiry())}.` });

export const formatExpiry = (ms: number): string =>
  new Date(ms).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

/** The default is for pages that cannot renew tokens: GraphiQL, the reference, and a console without sign-in. */
let renew = async (): Promise<boolean> => false;
let renewing: Promise<boolean> | undefined;

export function setRenewal(renewal: typeof renew): void {
  renew = renewal;
}

/**
 * Returns false if only a new sign-in helps. Throws if the issuer cannot be reached: the token may be renewed later.
 * Callers share one renewal: issuers may accept a refresh token only once.
 */
export function renewToken(): Promise<boolean> {
  renewing ??= renew().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

/**
 * Undefined before the first sign-in. Waits for a new one if the token has expired or was rejected. Throws if the
 * issuer cannot be reached.
 */
export async function awaitToken(signal?: AbortSignal | null): Promise<string | undefined> {
  if (isExpired() && !(await renewToken()) && isExpired()) rejectExpired();
  signal?.throwIfAborted();
  if (accessToken.get() !== undefined || rejection.get() === undefined) return accessToken.get();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const unsubscribe = accessToken.subscribe(() => {
    const token = accessToken.get();
    if (token !== undefined) resolve(token);
  });
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  return promise.finally(() => {
    unsubscribe();
    signal?.removeEventListener('abort', onAbort);
  });
}

/** Does not wait for a sign-in. Empty without a valid token. Keeps an expired token, which the console can renew. */
export function readAuthorization(): Record<string, string> {
  const token = accessToken.get();
  return token && !isExpired() ? { authorization: `Bearer ${token}` } : {};
}
