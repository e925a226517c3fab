import { expect, test, vi } from 'vitest';
import { tabStorage } from '../../../../../infra/web/console/auth/page-storage.ts';

/** A storage that is full at `room` characters. */
function createStorage(room: number): Storage {
  const methods = {
    getItem: (key: string): string | null => (Object.hasOwn(storage, key) ? storage[key] : null),
    setItem(key: string, value: string) {
      const others = Object.entries<string>(storage).filter(([name]) => name !== key);
      const length = others.reduce((sum, [, text]) => sum + text.length, value.length);
      if (length > room) throw new DOMException('The quota has been exceeded', 'QuotaExceededError');
      storage[key] = value;
    },
    removeItem: (key: string) => delete storage[key],
  };
  const storage = Object.create(methods);
  return storage;
}

test("replaces a value in memory when the browser's storage is full", () => {
  const storage = createStorage(100);
  vi.stubGlobal('sessionStorage', storage);
  tabStorage.setItem('session', 'first');
  storage.setItem('drafts', 'x'.repeat(95));
  tabStorage.setItem('session', 'renewed');
  expect(tabStorage.getItem('session')).toBe('renewed');
  // Issuers treat a refresh token that is used again as stolen.
  expect(storage.getItem('session')).toBeNull();
  expect(Array.from({ length: tabStorage.length }, (_, at) => tabStorage.key(at))).toEqual(['drafts', 'session']);

  storage.removeItem('drafts');
  tabStorage.setItem('session', 'again');
  expect(storage.getItem('session')).toBe('again');
  tabStorage.removeItem('session');
  expect(tabStorage.getItem('session')).toBeNull();
});
