import { createStore } from '../store.ts';

const KEY = 'access-token';
const EXPIRY_KEY = 'access-token-expires-at';

/** The bearer token of the requests, if the service requires one. Kept until the tab is closed or the token expires. */
export const accessToken = createStore<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);

export function setToken(token: string | undefined, expiresAt = Number.MAX_SAFE_INTEGER): void {
  if (token) {
    sessionStorage.setItem(KEY, token);
    sessionStorage.setItem(EXPIRY_KEY, String(expiresAt));
  } else {
    sessionStorage.removeItem(KEY);
    sessionStorage.removeItem(EXPIRY_KEY);
  }
  accessToken.set(() => token);
}

/** The header of a request. */
export function readAuthorization(): Record<string, string> {
  if (accessToken.get() && Number(sessionStorage.getItem(EXPIRY_KEY)) < Date.now()) setToken(undefined);
  const token = accessToken.get();
  return token ? { authorization: `Bearer ${token}` } : {};
}
