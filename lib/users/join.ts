import type { CreationRange, OnRead, Order } from './directory.ts';
import { KEYS_PER_USER, queryEntries } from './entries.ts';
import { END, FIRST } from './entry-keys.ts';

/** Partitions with ids as sort keys. Their users together make a list. */
export type IdList = readonly string[];

/** `ids` are the next ids of the partition that have been read but not compared. */
type Partition = { pk: string; ids: string[]; isEnd: boolean };

type Joined = {
  ids: string[];
  /** Continue after this id. Undefined at the end of the lists. */
  next: string | undefined;
};

type JoinOptions = {
  range?: CreationRange;
  after?: string | undefined;
  order?: Order;
  maxKeys: number;
  onRead: OnRead;
};

const MIN_SIZE = 100;
const MAX_FIRST_SIZE = 200;
const MAX_GROWTH = 8;

/**
 * Finds the ids that are in all lists, in creation order, without reading users (a leapfrog join). Each step reads the
 * next keys of all partitions at once, from the first id that may be in all lists.
 *
 * If one list has few users, reading the other keys costs more than reading these users. The join then returns their ids
 * untested (`isTested` is false), and the caller tests the users.
 */
export class Join {
  isTested = true;
  keysRead = 0;
  readonly #parts: Partition[][];
  readonly #options: Required<Omit<JoinOptions, 'after'>>;
  readonly #found: string[] = [];
  /** All ids up to this one have been compared. */
  #compared: string | undefined;
  /** No id before this one is in all lists. */
  #start: string | undefined;
  #isEnd = false;
  #size = 0;

  constructor(lists: readonly IdList[], { after, range = {}, order = 'asc', ...options }: JoinOptions) {
    this.#parts = lists.map((partitions) => partitions.map((pk) => ({ pk, ids: [], isEnd: false })));
    this.#options = { range, order, ...options };
    this.#compared = after;
  }

  /** Returns fewer than `limit` ids at the end of the lists, or after reading `maxKeys` keys. */
  async read(limit: number): Promise<Joined> {
    while (this.#found.length <= limit && !this.#isEnd && this.keysRead < this.#options.maxKeys) {
      const missing = limit + 1 - this.#found.length;
      await this.#readKeys(missing);
      this.#compare(missing);
    }
    const ids = this.#found.splice(0, limit);
    if (this.#found.length > 0) return { ids, next: ids.at(-1) };
    return { ids, next: this.#isEnd ? undefined : this.#compared };
  }

  async #readKeys(missing: number): Promise<void> {
    this.#size ||= this.#parts.length === 1 ? missing : Math.min(MAX_FIRST_SIZE, Math.max(MIN_SIZE, 2 * missing));
    const { range, order, maxKeys, onRead } = this.#options;
    const from = (order === 'asc' && this.#start) || (range.from ?? FIRST);
    const to = (order === 'desc' && this.#start) || (range.to ?? END);
    const unread = this.#parts.flat().filter(isUnread);
    const share = Math.floor((maxKeys - this.keysRead) / Math.max(1, unread.length));
    const limit = Math.min(this.#size, Math.max(1, share));
    const read = async (partition: Partition) => {
      const query = { from, to, after: this.#start ? undefined : this.#compared, order, limit, onRead };
      const { keys, isEnd } = await queryEntries(partition.pk, query);
      this.keysRead += keys.length;
      Object.assign(partition, { ids: keys, isEnd });
    };
    await Promise.all(unread.map(read));
  }

  #compare(missing: number): void {
    const heads = this.#parts.map((list) => this.#first(list.flatMap(({ ids }) => ids.slice(0, 1))));
    // One list has no further users.
    if (heads.includes(undefined)) {
      this.#isEnd = true;
      return;
    }
    const start = heads.reduce((one, other) => (this.#isBefore(one, other) ? other : one));
    const isAhead = (id: string) => !this.#isBefore(id, start);
    const passed = this.#parts.flat().flatMap(({ ids }) => ids.filter((id) => !isAhead(id)));
    // Also a join that stops while it leaps continues after these ids.
    this.#compared = passed.reduce(
      (one, other) => (this.#isBefore(one, other) ? other : one),
      this.#compared ?? passed[0],
    );
    this.#drop(isAhead);
    // Leap: a list has to be read from `start` on.
    this.#start = this.#parts.flat().some(isUnread) ? start : undefined;
    if (this.#start) return;
    const gap = this.#findGap(this.#parts.flat());
    const lists = this.#parts.map((list) => this.#takeUpTo(gap, list));
    const sizes = lists.map(({ size }) => size);
    const rarest = sizes.indexOf(Math.min(...sizes));
    const isSparse = Math.max(...sizes) >= KEYS_PER_USER * Math.max(1, sizes[rarest] ?? 0);
    const rare = this.#parts[rarest] ?? [];
    const end = isSparse ? this.#findGap(rare) : gap;
    const ids = [...this.#takeUpTo(end, rare)];
    const found = isSparse ? ids : ids.filter((id) => lists.every((list) => list.has(id)));
    if (isSparse) this.isTested = false;
    this.#found.push(...found.toSorted((one, other) => (this.#isBefore(one, other) ? -1 : 1)));
    if (end === undefined) this.#isEnd = true;
    else {
      this.#compared = end;
      this.#drop((id) => this.#isBefore(end, id));
    }
    // Read more keys at once if few of them were in all lists.
    const wanted = Math.ceil((this.#size * (missing - found.length)) / Math.max(1, found.length));
    this.#size = Math.min(MAX_GROWTH * this.#size, Math.max(MIN_SIZE, wanted));
  }

  /** Returns the last id before which all keys of the partitions have been read. Undefined if all are at their end. */
  #findGap(partitions: readonly Partition[]): string | undefined {
    return this.#first(partitions.flatMap(({ ids, isEnd }) => (isEnd ? [] : ids.slice(-1))));
  }

  #takeUpTo(end: string | undefined, list: readonly Partition[]): Set<string> {
    const ids = list.flatMap((partition) => partition.ids);
    return new Set(end === undefined ? ids : ids.filter((id) => !this.#isBefore(end, id)));
  }

  #drop(isKept: (id: string) => boolean): void {
    for (const partition of this.#parts.flat()) partition.ids = partition.ids.filter(isKept);
  }

  #isBefore(one: string | undefined, other: string | undefined): boolean {
    if (one === undefined || other === undefined) return false;
    return this.#options.order === 'asc' ? one < other : one > other;
  }

  #first(ids: readonly string[]): string | undefined {
    return ids.length === 0 ? undefined : ids.reduce((one, other) => (this.#isBefore(other, one) ? other : one));
  }
}

const isUnread = ({ ids, isEnd }: Partition): boolean => ids.length === 0 && !isEnd;
