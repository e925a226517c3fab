import { useSyncExternalStore } from 'react';

export type Store<T> = {
  get(): T;
  set(update: (value: T) => T): void;
  subscribe(listener: () => void): () => void;
};

/** Keeps state outside of React, so that API calls can be recorded and notices shown from anywhere. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(update) {
      const next = update(value);
      if (next === value) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Keeps state over a reload of the page, as by a sign-in. `parse` leaves out what others may have stored. If the storage is
 * full, the state lasts as long as the page.
 */
export function createSessionStore<T>(key: string, parse: (stored: unknown) => T): Store<T> {
  const store = createStore(parse(parseJson(sessionStorage.getItem(key))));
  store.subscribe(() => {
    try {
      sessionStorage.setItem(key, JSON.stringify(store.get()));
    } catch {
      // What is stored is older than what the page has, and would take its place after a reload.
      sessionStorage.removeItem(key);
    }
  });
  return store;
}

/** Returns null for a text that is no JSON. */
export function parseJson(json: string | null): unknown {
  try {
    return JSON.parse(json ?? 'null');
  } catch {
    return null;
  }
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get);
