/**
 * Lasts as long as the tab, and where the browser stores no more, as long as the page: a session goes on even though what was
 * typed has filled the storage.
 */
class TabStorage implements Storage {
  readonly #unstored = new Map<string, string>();

  get length(): number {
    return this.#listKeys().length;
  }

  key = (index: number): string | null => this.#listKeys()[index] ?? null;

  getItem = (key: string): string | null => this.#unstored.get(key) ?? sessionStorage.getItem(key);

  setItem(key: string, value: string): void {
    this.#unstored.delete(key);
    try {
      sessionStorage.setItem(key, value);
    } catch {
      // What is stored is older: a refresh token, for example, was used.
      sessionStorage.removeItem(key);
      this.#unstored.set(key, value);
    }
  }

  removeItem(key: string): void {
    this.#unstored.delete(key);
    sessionStorage.removeItem(key);
  }

  clear(): void {
    this.#unstored.clear();
    sessionStorage.clear();
  }

  #listKeys = (): string[] => [...new Set([...Object.keys(sessionStorage), ...this.#unstored.keys()])];
}

export const tabStorage = new TabStorage();

/** The name of the token in it, which all pages of the tab share. */
export const TOKEN_KEY = 'access-token';
