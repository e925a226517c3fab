import type { Actor } from '../auth/caller.ts';
import type { ConditionFailure } from '../dynamodb/conditional-writes.ts';
import { formatKey, type Item } from '../dynamodb/keys.ts';
import { AGAIN, type Again, retryOnConflict } from '../dynamodb/retry.ts';
import { type TransactItem, type TransactResult, transactAll } from '../dynamodb/transactions.ts';
import { concurrentChanges, unavailable } from '../errors.ts';
import type { Claim } from './list-claims.ts';
import type { NewVersion, User } from './schema.ts';

/** A user before and after a write; undefined is no user. */
export type UserChange = {
  before?: User | undefined;
  after?: NewVersion | undefined;
  by: Actor;
};

/** The next attempt is made without the claim. */
export const WITHOUT = Symbol('without');

/** An item that stands in the transaction of a user's write, and knows what its failed condition means. */
export type Companion<Result> = {
  item: TransactItem;
  /** Only one user at a time has the value whose claim this is. */
  claim?: Claim;
  /**
   * Says how the write goes on: with another attempt, with one that leaves the claim as it is, or with a result instead. Throws what the
   * caller gets. With `outcomeUnknown`, an earlier request may write yet.
   */
  resolve?(failure: ConditionFailure, outcomeUnknown: boolean): Promise<Again> | typeof WITHOUT | { result: Result };
};

/** Makes the companions of a write for each attempt, as they may hold its time. */
export type Companions<Result> = (change: UserChange) => Companion<Result>[];

/**
 * A create or delete takes a new id and time for each attempt, and gives the attempt up after this long: the page index counts
 * on it that no write of an older time appears.
 */
export const WRITE_ATTEMPT_MS = 3_000;

/** How a write of a user is made. */
export type UserWrite<Change extends UserChange> = {
  /** Reads what the write is of, unless a failed condition has just `shown` the item; what it returns makes the change of an attempt. */
  plan(shown: Item | undefined): Promise<() => Change>;
  createItem(change: Change): TransactItem;
  /** Writes the user alone, for less, where there are no companions. Returns the failed condition. */
  writeAlone?(change: Change): Promise<ConditionFailure | undefined>;
};

/**
 * Writes a user and its companions in one transaction; again, if another write came first. Returns the change that was made, or
 * what a companion has returned instead. Throws CONFLICT if others come first until the deadline, and what companions throw.
 * SERVICE_UNAVAILABLE if nobody can know whether an earlier request of it will write.
 */
export function writeUser<Change extends UserChange, Result>(
  write: UserWrite<Change>,
  companions: readonly Companions<Result>[],
): Promise<Change | Result> {
  let shown: Item | undefined;
  let without: ReadonlySet<string> = new Set();
  return retryOnConflict(async () => {
    const make = await write.plan(shown);
    const {
      change,
      failed,
      outcomeUnknown = false,
    } = await tryWrite(write, make, (change) =>
      companions.flatMap((list) => list(change)).filter(({ claim }) => !claim || !without.has(formatKey(claim.key))),
    );
    if (!failed) return change;
    const ofUser = failed.find(({ write: { isUser } }) => isUser);
    shown = ofUser?.failure.item;
    // Another write of the user came first. What failed beside it may succeed once it is made again.
    if (ofUser && change.before) return AGAIN;
    for (const { write: companion, failure } of failed) {
      const resolution = await companion.resolve?.(failure, outcomeUnknown);
      if (typeof resolution === 'object') return resolution.result;
      if (resolution === WITHOUT && companion.claim) without = new Set([...without, formatKey(companion.claim.key)]);
    }
    // New ids are new.
    if (ofUser) throw unavailable();
    return AGAIN;
  }, concurrentChanges);
}

type Part<Result> = Companion<Result> & { isUser?: boolean };
type Attempt<Change, Result> = TransactResult<Part<Result>> & { change: Change };

async function tryWrite<Change extends UserChange, Result>(
  { createItem, writeAlone }: UserWrite<Change>,
  make: () => Change,
  listCompanions: Companions<Result>,
): Promise<Attempt<Change, Result>> {
  let change = make();
  const listItems = (): Part<Result>[] => [...listCompanions(change), { item: createItem(change), isUser: true }];
  const items = listItems();
  if (writeAlone && items.length === 1) {
    const failure = await writeAlone(change);
    return { change, ...(failure ? { failed: items.map((write) => ({ write, failure })) } : {}) };
  }
  const renew = () => {
    change = make();
    return listItems();
  };
  const { before, after } = change;
  const attemptMs = before && after ? undefined : WRITE_ATTEMPT_MS;
  const result = await transactAll(items, { renew, attemptMs, onTimeout: before ? concurrentChanges : unavailable });
  return { change, ...result };
}
