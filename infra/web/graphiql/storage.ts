import { sharedStorage, tabStorage } from '../console/auth/page-storage.ts';

/** Each browser tab stores its own text. All tabs share the rest, such as colors and history. */
const isTyped = (key: string): boolean => /^graphiql:(tabState|query|variables|operationName)$/.test(key);

const listKeys = () => sharedStorage.listKeys().filter((key) => key.startsWith('graphiql:'));

/** A new browser tab starts with the text that any tab stored last. */
export const storage = {
  getItem: (key: string): string | null =>
    (isTyped(key) ? tabStorage.getItem(key) : null) ?? sharedStorage.getItem(key),

  setItem(key: string, value: string): void {
    if (isTyped(key)) tabStorage.setItem(key, value);
    // GraphiQL ignores a full or blocked storage: a new tab then starts with older text.
    localStorage.setItem(key, value);
  },

  removeItem(key: string): void {
    tabStorage.removeItem(key);
    sharedStorage.removeItem(key);
  },

  get length(): number {
    return listKeys().length;
  },

  clear(): void {
    for (const key of listKeys()) storage.removeItem(key);
  },
};
