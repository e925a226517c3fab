import { createStore } from '../store.ts';

const KEY = 'access-token';
const EXPIRY_KEY = 'access-token-expires-at';

/** Requests carry this bearer token, if the service requires one. It is kept until the tab is closed or it expires. */
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

/** Returns the header of a request, which is empty if there is no token. */
export function readAuthorization(): Record<string, string> {
  if (accessToken.get() && Number(sessionStorage.getItem(EXPIRY_KEY)) < Date.now()) setToken(undefined);
  const token = accessToken.get();
  return token ? { authorization: `Bearer ${token}` } : {};
}
