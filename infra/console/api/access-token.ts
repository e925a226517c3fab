import { createStore } from '../store.ts';

const KEY = 'access-token';

/** The bearer token of the requests, if the service requires one. Kept until the tab is closed. */
export const accessToken = createStore<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);

export function setToken(token: string | undefined): void {
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
  accessToken.set(() => token);
}

export const getToken = async (): Promise<string | undefined> => accessToken.get();
