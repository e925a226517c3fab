import { tabStorage } from '../console/auth/tab-storage.ts';

/** All else, such as the colors and the history, is one for all tabs of the browser. */
const isTyped = (key: string): boolean => /^graphiql:(tabState|query|variables|operationName)$/.test(key);

const listKeys = () => Object.keys(localStorage).filter((key) => key.startsWith('graphiql:'));

/** Each tab of the browser keeps what is typed in it. A new one starts with what was stored last, in any. */
export const storage = {
  getItem: (key: string): string | null => (isTyped(key) ? tabStorage.getItem(key) : null) ?? localStorage.getItem(key),

  setItem(key: string, value: string): void {
    if (isTyped(key)) tabStorage.setItem(key, value);
    // GraphiQL goes on if the storage is full: a new tab starts with what is older.
    localStorage.setItem(key, value);
  },

  removeItem(key: string): void {
    tabStorage.removeItem(key);
    localStorage.removeItem(key);
  },

  get length(): number {
    return listKeys().length;
  },

  /** A person can ask for this in GraphiQL's settings. */
  clear(): void {
    for (const key of listKeys()) storage.removeItem(key);
  },
};
