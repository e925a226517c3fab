import { vi } from 'vitest';

const stored = new Map<string, string>();

/** Read when modules of the console are imported. */
const storage = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
  removeItem: (key: string) => void stored.delete(key),
};
vi.stubGlobal('sessionStorage', storage);
vi.stubGlobal('localStorage', storage);
vi.stubGlobal('location', { search: '' });
vi.stubGlobal('history', { state: null });
vi.stubGlobal('addEventListener', () => {});
vi.stubGlobal('document', { getElementById: () => null });
