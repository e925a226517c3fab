import { createStore } from '../store.ts';
import { TOKEN_KEY, tabStorage } from './tab-storage.ts';

const EXPIRY_KEY = 'access-token-expires-at';

/** Requests carry this bearer token, if the service requires one. It is kept until the tab is closed, it expires or is rejected. */
export const accessToken = createStore<string | undefined>(tabStorage.getItem(TOKEN_KEY) ?? undefined);

/** After a token has expired or was rejected, the page shows what its rights allow until there is another one. */
export const latestToken = createStore(accessToken.get());

export type Rejection = { hasExpired: boolean; reason: string };

/** Why the last token was rejected, until there is another one. */
export const rejection = createStore<Rejection | undefined>(undefined);

/** Only the page that is loaded next has it. */
export function storeToken(token: string | undefined, expiresAt = Number.MAX_SAFE_INTEGER): void {
  if (token) {
    tabStorage.setItem(TOKEN_KEY, token);
    tabStorage.setItem(EXPIRY_KEY, String(expiresAt));
  } else {
    tabStorage.removeItem(TOKEN_KEY);
    tabStorage.removeItem(EXPIRY_KEY);
  }
}

export function setToken(token: string | undefined, expiresAt?: number): void {
  storeToken(token, expiresAt);
  if (token) {
    rejection.set(() => undefined);
    latestToken.set(() => token);
  }
  accessToken.set(() => token);
}

/** Forgets a token that the service does not accept. What was typed stays. */
export function rejectToken(reason: Rejection): void {
  // The reason is there before the token is gone: requests wait for the next one.
  rejection.set(() => reason);
  setToken(undefined);
}

const readExpiry = () => Number(tabStorage.getItem(EXPIRY_KEY));

const isExpired = (): boolean => accessToken.get() !== undefined && readExpiry() < Date.now();

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
