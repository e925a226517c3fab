import { createStore } from '../store.ts';
import { readClaims } from './claims.ts';
import { sharedStorage, TOKEN_KEY, tabStorage } from './tab-storage.ts';

const EXPIRY_KEY = 'access-token-expires-at';
/** A sign-out changes it. */
const SIGN_OUT_KEY = 'signed-out-at';
/** Whose texts and drafts a tab keeps. */
const PERSON_KEY = 'person';

const readStored = (): string | undefined => sharedStorage.getItem(TOKEN_KEY) ?? undefined;

/** Requests carry this bearer token, if the service requires one. All tabs share it until it expires, is rejected, or the person signs out. */
export const accessToken = createStore<string | undefined>(readStored());

/** After a token has expired or was rejected, the page shows what its rights allow until there is another one. */
export const latestToken = createStore(accessToken.get());

export type Rejection = { hasExpired: boolean; reason: string };

/** Why the last token was rejected, until there is another one. */
export const rejection = createStore<Rejection | undefined>(undefined);

/** Only the page that is loaded next has it. */
export function storeToken(token: string | undefined, expiresAt?: number): void {
  // The time of expiry stays known.
  if (token === readStored() && expiresAt === undefined) return;
  if (token) {
    // Other tabs learn of the token, and then read the time of expiry.
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

/** Returns whether what this tab shows, or keeps of what was typed, belongs to another person than the token. */
function isOfAnother(token: string): boolean {
  const [last, person] = [tabStorage.getItem(PERSON_KEY), readClaims(token)?.sub];
  return last !== null && person !== undefined && last !== person;
}

/** Gives this tab to the person of the stored token. Returns whether it was another person's. */
export function takeOverTab(): boolean {
  const token = readStored();
  if (!token) return false;
  const wasOfAnother = isOfAnother(token);
  storePerson(token);
  return wasOfAnother;
}

let isLeaving = false;
/** Returns whether it leaves the page. GraphiQL and the reference keep what is typed, and drop answers at a sign-out. */
let leave = (reason: 'signed-out' | 'another-person'): boolean => {
  if (reason === 'another-person') return false;
  location.reload();
  return true;
};

/** Sets what the page does when another tab signs out, or when another person signs in. */
export function setLeaving(leaving: typeof leave): void {
  leave = leaving;
}

function depart(reason: 'signed-out' | 'another-person'): boolean {
  isLeaving ||= leave(reason);
  return isLeaving;
}

/** Takes what another tab has stored. Returns whether that is another token. */
export function takeSharedToken(): boolean {
  const token = readStored();
  if (isLeaving || isIgnoring || token === accessToken.get()) return false;
  if (token && isOfAnother(token) && depart('another-person')) return true;
  if (!token) rejection.set(() => ({ hasExpired: true, reason: 'It has ended in another tab.' }));
  applyToken(token);
  return token !== undefined;
}

let isIgnoring = false;

/** An open service needs no token, and one that is left from another service could not be renewed. */
export function ignoreTokens(): void {
  isIgnoring = true;
  accessToken.set(() => undefined);
}

/** Signs all tabs out. */
export function forgetSignIn(): void {
  // Other tabs leave before they miss the token, with which they send what they still have to.
  sharedStorage.setItem(SIGN_OUT_KEY, String(Date.now()));
  removeSignIn();
  // The issuer may still answer.
  addEventListener('pagehide', removeSignIn);
}

function removeSignIn(): void {
  const keys = Array.from({ length: sharedStorage.length }, (_, at) => sharedStorage.key(at) ?? '');
  for (const key of keys.filter((key) => key.startsWith('oidc.'))) sharedStorage.removeItem(key);
  storeToken(undefined);
}

/** Drops a token that has expired while no page was open. */
export function dropExpiredToken(): void {
  if (isExpired()) setToken(undefined);
}

addEventListener('storage', ({ key }) => {
  if (key === SIGN_OUT_KEY && latestToken.get() !== undefined) depart('signed-out');
  if (key === TOKEN_KEY) takeSharedToken();
});
// The browser tells a page nothing that it keeps for its Back button.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) takeSharedToken();
});

/** Forgets a token that the service does not accept. What was typed stays. */
export function rejectToken(reason: Rejection): void {
  // Another tab may have a newer one.
  if (takeSharedToken()) return;
  // The reason is there before the token is gone: requests wait for the next one.
  rejection.set(() => reason);
  setToken(undefined);
}

const readExpiry = () => Number(sharedStorage.getItem(EXPIRY_KEY));

/** A token that was only typed, or that another tab has replaced, has no known time. */
function isExpired(): boolean {
  const token = accessToken.get();
  return token !== undefined && token === readStored() && readExpiry() < Date.now();
}

const rejectExpired = () => rejectToken({ hasExpired: true, reason: `It expired at ${formatExpiry(readExpiry())}.` });

export const formatExpiry = (ms: number): string =>
  new Date(ms).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

let renew = async (): Promise<unknown> => {
  throw new Error('Only an issuer renews tokens');
};
let renewing: Promise<boolean> | undefined;

/** Tells how a token is renewed without the person. */
export function setRenewal(renewal: () => Promise<unknown>): void {
  renew = renewal;
}

/** Returns whether there is another token. An issuer may accept a refresh token once only: all that ask at a time share one renewal. */
export function renewToken(): Promise<boolean> {
  renewing ??= renew()
    .then(
      () => true,
      () => false,
    )
    .finally(() => {
      renewing = undefined;
    });
  return renewing;
}

/**
 * Returns the token of a request, or undefined where nobody has signed in. After one that has expired or was rejected, the
 * request waits for a renewal, or for the person to sign in.
 */
export async function awaitToken(signal?: AbortSignal | null): Promise<string | undefined> {
  if (isExpired() && !(await renewToken()) && isExpired()) rejectExpired();
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

/** Returns the header of a request that does not wait for a sign-in; it is empty if there is no token, or no longer. */
export function readAuthorization(): Record<string, string> {
  if (isExpired()) rejectExpired();
  const token = accessToken.get();
  return token ? { authorization: `Bearer ${token}` } : {};
}
