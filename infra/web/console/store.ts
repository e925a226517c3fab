import { useLocalStorage } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';
import { tabStorage } from './auth/page-storage.ts';

export type Store<T> = {
  get(): T;
  set(update: (value: T) => T): void;
  subscribe(listener: () => void): () => void;
};

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

/** A choice of the person, which all tabs share. `parse` drops invalid stored values. */
export const useStored = <T>(key: string, defaultValue: T, parse?: (stored: string | undefined) => T) =>
  useLocalStorage<T>({
    key,
    defaultValue,
    getInitialValueInEffect: false,
    ...(parse ? { deserialize: parse } : {}),
  });

/** `parse` drops invalid stored values. If the storage is full or blocked, the state is lost with the page. */
export function createSessionStore<T>(key: string, parse: (stored: unknown) => T): Store<T> {
  const store = createStore(parse(parseJson(tabStorage.getItem(key))));
  store.subscribe(() => tabStorage.setItem(key, JSON.stringify(store.get())));
  return store;
}

export function parseJson(json: string | null | undefined): unknown {
  try {
    return JSON.parse(json ?? 'null');
  } catch {
    return null;
  }
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get);
