import { tableSchema } from '../../../infra/stack/table-schema.ts';
import { type Item, isSameItem } from './values.ts';

export type Key = { pk: string; sk: string };

/** What an item was from one commit on; undefined: it was not there. */
export type Version = { commit: number; at: number; item: Item | undefined };
export type Stored = Key & { versions: Version[] };

/** A change of one item, as the table's stream has it. `by` is the request that made it. */
export type Change = Key & {
  /** Its position in the stream. */
  position: number;
  commit: number;
  at: number;
  by: string;
  before: Item | undefined;
  after: Item | undefined;
};

/** Which version of an item a read sees. */
export type View = (stored: Stored) => Item | undefined;

export const latest: View = ({ versions }) => versions.at(-1)?.item;

export const readKey = ({ pk, sk }: Item): Key => ({ pk: pk?.S ?? '', sk: sk?.S ?? '' });

/** The items of one table, each with all that it ever was, so that a read can be late, or see a part of a transaction. */
export class Store {
  readonly changes: Change[] = [];
  commits = 0;
  /** Items that are, or were, in the index. */
  readonly indexed = new Set<Stored>();
  readonly #partitions = new Map<string, Map<string, Stored>>();

  find({ pk, sk }: Key): Stored | undefined {
    return this.#partitions.get(pk)?.get(sk);
  }

  partition(pk: string): Iterable<Stored> {
    return this.#partitions.get(pk)?.values() ?? [];
  }

  *all(): Iterable<Stored> {
    for (const partition of this.#partitions.values()) yield* partition.values();
  }

  /** Writes all of them at one moment. Writing what is there already changes nothing. */
  commit(writes: { key: Key; item: Item | undefined }[], at: number, by: string): void {
    const commit = ++this.commits;
    for (const { key, item } of writes) {
      const stored = this.find(key) ?? this.#add(key);
      const before = latest(stored);
      if (isSameItem(before, item)) continue;
      stored.versions.push({ commit, at, item });
      if (item?.[tableSchema.index.partitionKey]) this.indexed.add(stored);
      this.changes.push({ ...key, position: this.changes.length, commit, at, by, before, after: item });
    }
  }

  #add(key: Key): Stored {
    const partition = this.#partitions.get(key.pk) ?? new Map<string, Stored>();
    this.#partitions.set(key.pk, partition);
    const stored = { ...key, versions: [] };
    partition.set(key.sk, stored);
    return stored;
  }
}
