/** Falls back to memory when the storage is full or blocked, so that a person stays signed in. */
class PageStorage implements Storage {
  readonly #unstored = new Map<string, string>();
  readonly #find: () => Storage;

  constructor(find: () => Storage) {
    this.#find = find;
  }

  get length(): number {
    return this.listKeys().length;
  }

  key = (index: number): string | null => this.listKeys()[index] ?? null;

  getItem = (key: string): string | null => this.#unstored.get(key) ?? this.#stored()?.getItem(key) ?? null;

  setItem(key: string, value: string): void {
    this.#unstored.delete(key);
    try {
      this.#find().setItem(key, value);
    } catch {
      // An old value, such as a used refresh token, must not be used again.
      this.#stored()?.removeItem(key);
      this.#unstored.set(key, value);
    }
  }

  removeItem(key: string): void {
    this.#unstored.delete(key);
    this.#stored()?.removeItem(key);
  }

  clear(): void {
    this.#unstored.clear();
    this.#stored()?.clear();
  }

  listKeys = (): string[] => [...new Set([...Object.keys(this.#stored() ?? {}), ...this.#unstored.keys()])];

  /** Undefined if the browser blocks the storage: reading `localStorage` then throws. */
  #stored(): Storage | undefined {
    try {
      return this.#find();
    } catch {
      return undefined;
    }
  }
}

export const tabStorage = new PageStorage(() => sessionStorage);

export const sharedStorage = new PageStorage(() => localStorage);

export const TOKEN_KEY = 'access-token';
