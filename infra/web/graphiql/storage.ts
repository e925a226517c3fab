import { tabStorage } from '../console/auth/tab-storage.ts';

/**
 * Whether GraphiQL's key stores typed text, which each browser tab has for itself. The rest, such as colors and
 * history, is shared by all browser tabs.
 */
const isTyped = (key: string): boolean => /^graphiql:(tabState|query|variables|operationName)$/.test(key);

const listKeys = () => Object.keys(localStorage).filter((key) => key.startsWith('graphiql:'));

/**
 * Storage for GraphiQL. Each browser tab keeps its own typed text. A new tab starts with the text that any tab stored
 * last.
 */
export const storage = {
  getItem: (key: string): string | null => (isTyped(key) ? tabStorage.getItem(key) : null) ?? localStorage.getItem(key),

  setItem(key: string, value: string): void {
    if (isTyped(key)) tabStorage.setItem(key, value);
    // Ignored if the storage is full: a new tab then starts with older text.
    localStorage.setItem(key, value);
  },

  removeItem(key: string): void {
    tabStorage.removeItem(key);
    localStorage.removeItem(key);
  },

  get length(): number {
    return listKeys().length;
  },

  clear(): void {
    for (const key of listKeys()) storage.removeItem(key);
  },
};
