/** Falls back to memory when the storage is full, so that a person stays signed in. */
class PageStorage implements Storage {
  readonly #unstored = new Map<string, string>();
  readonly #find: () => Storage;

  constructor(find: () => Storage) {
    this.#find = find;
  }

  get length(): number {
    return this.#listKeys().length;
  }

  key = (index: number): string | null => this.#listKeys()[index] ?? null;

  getItem = (key: string): string | null => this.#unstored.get(key) ?? this.#find().getItem(key);

  setItem(key: string, value: string): void {
    this.#unstored.delete(key);
    try {
      this.#find().setItem(key, value);
    } catch {
      // An old value, such as a used refresh token, must not be used again.
      this.#find().removeItem(key);
      this.#unstored.set(key, value);
    }
  }

  removeItem(key: string): void {
    this.#unstored.delete(key);
    this.#find().removeItem(key);
  }

  clear(): void {
    this.#unstored.clear();
    this.#find().clear();
  }

  #listKeys = (): string[] => [...new Set([...Object.keys(this.#find()), ...this.#unstored.keys()])];
}

export const tabStorage = new PageStorage(() => sessionStorage);

export const sharedStorage = new PageStorage(() => localStorage);

export const TOKEN_KEY = 'access-token';
