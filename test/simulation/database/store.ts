import { tableSchema } from '../../../lib/dynamodb/keys.ts';
import { formatMemberships, type Membership } from '../workload/memberships.ts';

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html */
export type Value = {
  S?: string;
  N?: string;
  B?: string;
  BOOL?: boolean;
  NULL?: true;
  L?: Value[];
  M?: Record<string, Value>;
  SS?: string[];
  NS?: string[];
  BS?: string[];
};
export type Item = Record<string, Value>;

const readType = (value: Value): string => Object.keys(value)[0] ?? '';

/** Compares values. Undefined if the types differ or have no order. */
export function compare(left: Value | undefined, right: Value | undefined): number | undefined {
  if (left?.S !== undefined && right?.S !== undefined) return compareText(left.S, right.S);
  if (left?.N !== undefined && right?.N !== undefined) return Number(left.N) - Number(right.N);
  if (left?.B !== undefined && right?.B !== undefined)
    return Buffer.compare(Buffer.from(left.B, 'base64'), Buffer.from(right.B, 'base64'));
  return undefined;
}

/** Compares texts. Equals DynamoDB's UTF-8 order, because this table's keys are ASCII. */
export const compareText = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

export function isEqual(left: Value | undefined, right: Value | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  const order = compare(left, right);
  return order === undefined ? canonical(left) === canonical(right) : order === 0;
}

/** Formats a value. Equal values give the same text. */
function canonical(value: Value): string {
  if (value.M)
    return `M${JSON.stringify(
      Object.entries(value.M)
        .map(([name, each]) => [name, canonical(each)])
        .sort(),
    )}`;
  if (value.L) return `L${JSON.stringify(value.L.map(canonical))}`;
  const set = value.SS ?? value.NS ?? value.BS;
  return set ? `${readType(value)}${JSON.stringify([...set].sort())}` : JSON.stringify(value);
}

export const isSameItem = (left: Item | undefined, right: Item | undefined): boolean =>
  left === undefined || right === undefined ? left === right : isEqual({ M: left }, { M: right });

export const readFields = ({ fields }: Item): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(fields?.M ?? {}).flatMap(([name, { S, N, L }]) => {
      const value = L ? formatMemberships(L.map(readMembership)) : (S ?? Number(N));
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** The cast is safe, because the service validates roles. */
const readMembership = ({ M }: Value) => ({ id: M?.id?.S ?? '', role: M?.role?.S }) as Membership;

export type Key = { pk: string; sk: string };

/** An item from a commit on. `at` in ms. */
export type Version = { commit: number; at: number; item: Item | undefined };
export type Stored = Key & { versions: Version[] };

/** `by`: the id of the request that made the write. */
export type Change = Key & {
  position: number;
  commit: number;
  at: number;
  by: string;
  before: Item | undefined;
  after: Item | undefined;
};

/** End of `by` for deletions in the DynamoDB console. */
export const BY_HAND = 'by hand';

export const isByHand = ({ by }: Change): boolean => by.endsWith(`/${BY_HAND}`);

/** True for a backfill's write, which creates no user version. */
export function isRewrite({ before, after }: Change): boolean {
  if (!before?.version || !after) return false;
  const [{ derived: _, writeId: __, ...one }, { derived: ___, writeId: ____, ...other }] = [before, after];
  return isSameItem(one, other);
}

/** Chooses the version that a read sees. */
export type View = (stored: Stored) => Item | undefined;

export const latest: View = ({ versions }) => versions.at(-1)?.item;

export const readKey = ({ pk, sk }: Item): Key => ({ pk: pk?.S ?? '', sk: sk?.S ?? '' });

/** Keeps all versions for stale and torn reads. */
export class Store {
  readonly changes: Change[] = [];
  commits = 0;
  #waiting: (() => void)[] = [];
  /** Items that are, or were, in the GSI. */
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

  nextCommit(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Commits writes at once. Skips unchanged items. */
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
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #add(key: Key): Stored {
    const partition = this.#partitions.get(key.pk) ?? new Map<string, Stored>();
    this.#partitions.set(key.pk, partition);
    const stored = { ...key, versions: [] };
    partition.set(key.sk, stored);
    return stored;
  }
}

export type Reason = { Code: string; Message?: string; Item?: Item | undefined };

export class DatabaseError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(name: string, message: string, more: Record<string, unknown> = {}, status = 400) {
    super(message);
    this.name = name;
    this.status = status;
    this.body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, Message: message, ...more };
  }
}

export const validation = (message: string) => new DatabaseError('ValidationException', message);

export const conditionFailed = (Item: Item | undefined) =>
  new DatabaseError('ConditionalCheckFailedException', 'The conditional request failed', Item ? { Item } : {});

export const cancelled = (CancellationReasons: Reason[]) =>
  new DatabaseError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${CancellationReasons.map(({ Code }) => Code).join(', ')}]`,
    { CancellationReasons },
  );
