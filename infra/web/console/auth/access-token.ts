import { createStore } from '../store.ts';
import { readClaims } from './claims.ts';
import { sharedStorage, TOKEN_KEY, tabStorage } from './tab-storage.ts';

const EXPIRY_KEY = 'access-token-expires-at';
/** Written at each sign-out. */
const SIGN_OUT_KEY = 'signed-out-at';
const PERSON_KEY = 'person';

const readStored = (): string | undefined => sharedStorage.getItem(TOKEN_KEY) ?? undefined;

/** All tabs share the token until it expires, is rejected, or the person signs out. */
export const accessToken = createStore<string | undefined>(readStored());

/** Kept after the token expired or was rejected, so that the page still shows what its rights allow. */
export const latestToken = createStore(accessToken.get());

export type Rejection = { hasExpired: boolean; reason: string };

/** Why the service rejected the last token. Reset by the next token. */
export const rejection = createStore<Rejection | undefined>(undefined);

/** Takes effect only on the next page load. */
export function storeToken(token: string | undefined, expiresAt?: number): void {
  // The expiry time of a known token stays.
  if (token === readStored() && expiresAt === undefined) return;
  if (token) {
    // Written before the token, whose change notifies other tabs.
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

/** Returns whether this tab's data and drafts belong to another person than the token. */
function isOfAnother(token: string): boolean {
  const [last, person] = [tabStorage.getItem(PERSON_KEY), readClaims(token)?.sub];
  return last !== null && person !== undefined && last !== person;
}

/** Assigns this tab to the token's person. Returns whether it belonged to another person. */
export function takeOverTab(): boolean {
  const token = readStored();
  if (!token) return false;
  const wasOfAnother = isOfAnother(token);
  storePerson(token);
  return wasOfAnother;
}

let isLeaving = false;
/** Returns whether it leaves the page. GraphiQL and the reference keep typed text, and reload at a sign-out. */
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

/** Adopts another tab's token. Returns whether it is a different one. */
export function takeSharedToken(): boolean {
  const token = readStored();
  if (isLeaving || isIgnoring || token === accessToken.get()) return false;
  if (token && isOfAnother(token) && depart('another-person')) return true;
  if (!token) rejection.set(() => ({ hasExpired: true, reason: 'It has ended in another tab.' }));
  applyToken(token);
  return token !== undefined;
}

let isIgnoring = false;

/** Ignores stored tokens of another service, which could not be renewed. */
export function ignoreTokens(): void {
  isIgnoring = true;
  accessToken.set(() => undefined);
}

/** Signs all tabs out. */
export function forgetSignIn(): void {
  // Written first, so that other tabs can still send pending requests with the token.
  sharedStorage.setItem(SIGN_OUT_KEY, String(Date.now()));
  removeSignIn();
  // The issuer may still respond and store a token.
  addEventListener('pagehide', removeSignIn);
}

function removeSignIn(): void {
  const keys = Array.from({ length: sharedStorage.length }, (_, at) => sharedStorage.key(at) ?? '');
  for (const key of keys.filter((key) => key.startsWith('oidc.'))) sharedStorage.removeItem(key);
  storeToken(undefined);
}

/** Drops a token that expired while no page was open. */
export function dropExpiredToken(): void {
  if (isExpired()) setToken(undefined);
}

addEventListener('storage', ({ key }) => {
  if (key === SIGN_OUT_KEY && latestToken.get() !== undefined) depart('signed-out');
  if (key === TOKEN_KEY) takeSharedToken();
});
// A page in the back/forward cache receives no storage events.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) takeSharedToken();
});

/** Drops a token that the service rejected. Drafts stay. */
export function rejectToken(reason: Rejection): void {
  if (takeSharedToken()) return;
  // Set first: without a token, requests start to wait.
  rejection.set(() => reason);
  setToken(undefined);
}

const readExpiry = () => Number(sharedStorage.getItem(EXPIRY_KEY));

/** A typed token, or one that another tab replaced, has no known expiry. */
function isExpired(): boolean {
  const token = accessToken.get();
  return token !== undefined && token === readStored() && readExpiry() < Date.now();
}

const rejectExpired = () => rejectToken({ hasExpired: true, reason: `It expired at ${formatExpiry(readExpiry())}.` });

export const formatExpiry = (ms: number): string =>
  new Date(ms).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

let renew = async (): Promise<unknown> => {
  throw new Error('Tokens cannot be renewed without an issuer');
};
let renewing: Promise<boolean> | undefined;

export function setRenewal(renewal: () => Promise<unknown>): void {
  renew = renewal;
}

/** Concurrent callers share one renewal, because issuers may accept a refresh token only once. */
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

/** Returns undefined before a sign-in. After the token expired or was rejected, waits for a renewal or a sign-in. */
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

/** The header of a request that does not wait for a sign-in. Empty without a valid token. */
export function readAuthorization(): Record<string, string> {
  if (isExpired()) rejectExpired();
  const token = accessToken.get();
  return token ? { authorization: `Bearer ${token}` } : {};
}
