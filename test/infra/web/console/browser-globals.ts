import { vi } from 'vitest';

const stored = new Map<string, string>();

/** Modules of the console read the storage on import. */
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
