import { createStore } from '../store.ts';

const KEY = 'access-token';
const EXPIRY_KEY = 'access-token-expires-at';

/** Requests carry this bearer token, if the service requires one. It is kept until the tab is closed or it expires. */
export const accessToken = createStore<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);

/** Says why the last token was rejected, until there is another one. */
export const rejection = createStore<string | undefined>(undefined);

export function setToken(token: string | undefined, expiresAt = Number.MAX_SAFE_INTEGER): void {
  if (token) {
    sessionStorage.setItem(KEY, token);
    sessionStorage.setItem(EXPIRY_KEY, String(expiresAt));
  } else {
    sessionStorage.removeItem(KEY);
    sessionStorage.removeItem(EXPIRY_KEY);
  }
  if (token) rejection.set(() => undefined);
  accessToken.set(() => token);
}

/** Forgets a token that the service does not accept. What was typed stays. */
export function rejectToken(reason: string): void {
  setToken(undefined);
  rejection.set(() => reason);
}

/** Returns the token of a request; undefined if there is none, or no longer. */
export function readToken(): string | undefined {
  if (accessToken.get() && Number(sessionStorage.getItem(EXPIRY_KEY)) < Date.now()) rejectToken('It has expired.');
  return accessToken.get();
}

/** Returns the header of a request, which is empty if there is no token. */
export function readAuthorization(): Record<string, string> {
  const token = readToken();
  return token ? { authorization: `Bearer ${token}` } : {};
}
