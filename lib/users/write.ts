import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { TableName } from '../dynamodb/client.ts';
import { type ConditionFailure, RepeatableUpdate, type Update } from '../dynamodb/conditional.ts';
import { DIRECTORY, formatKey, type Key, userKey } from '../dynamodb/keys.ts';
import { Backoff } from '../dynamodb/requests.ts';
import { MAX_TRANSACTION_ITEMS, type SendResult, type TransactItem, Transaction } from '../dynamodb/transact.ts';
import { concurrentChanges, unavailable, valueTaken } from '../errors.ts';
import { createIdempotencyRecord, type IdempotencyKey, type IdempotencyRecord } from '../idempotency.ts';
import { type DeletionRecord, parseDeletion, requireDeletion } from './deletion-record.ts';
import {
  type Claim,
  compareDerived,
  type DerivedItem,
  formatDerivedKey,
  listClaims,
  ownsClaim,
  parseClaim,
  type StoredClaim,
} from './derived.ts';
import type { createUserInput, deleteUserInput, replaceUserInput, updateUserInput } from './input.ts';
import { checkConditions, findStoredUser, getStoredUser } from './read.ts';
import {
  type NewVersion,
  newUser,
  nextVersion,
  parseStoredUser,
  type StoredUser,
  toChanges,
  type User,
} from './user.ts';

type Create = z.infer<typeof createUserInput>;
type Conditions = z.infer<typeof deleteUserInput>;
type Changes = z.infer<typeof updateUserInput>;

/** A repetition with the same idempotency key returns the first answer. */
export type Created = { user: User; isRepetition: boolean };

/**
 * Throws CONFLICT for a taken email or unique field, and IDEMPOTENCY_KEY_REUSED. Ids are UUIDv7 and sort in the order of
 * creation (RFC 9562 section 5.7). Throws SERVICE_UNAVAILABLE if a request without an answer may still create the user.
 */
export async function createUser(input: Create, by: Actor, key?: IdempotencyKey): Promise<Created> {
  const idempotency = key && createIdempotencyRecord('createUser', input, key);
  const result = await writeUser({ plan: () => ({ after: newUser(input, by), by }), idempotency });
  switch (result.kind) {
    case 'written':
      return { user: result.change.after as User, isRepetition: false }; // The change of a creation has a user.
    case 'repeated':
      return { user: newUser(input, by, result.first), isRepetition: true };
    case 'taken':
      throw valueTaken(result.field);
    case 'unneeded':
      throw new Error('A creation always writes');
  }
}

/**
 * Changes the given fields. Without any, returns the user and writes nothing. Throws NOT_FOUND, PRECONDITION_FAILED, and
 * CONFLICT for a taken email or unique field.
 */
export async function updateUser(input: Changes, by: Actor): Promise<User> {
  if (changesNothing(input)) return (await getUserToWrite(input)).user;
  const result = await writeUser({
    async plan(current) {
      const before = await getUserToWrite(input, current);
      return { before, after: nextVersion(before.user, input, by), by };
    },
  });
  if (result.kind === 'written') return result.change.after as User; // The change of an update has a user.
  throw result.kind === 'taken' ? valueTaken(result.field) : unavailable();
}

const changesNothing = ({ id: _, ifVersion, ifNotVersion, ifUnmodifiedSince, ...changes }: Changes): boolean =>
  Object.values(changes).every((value) => value === undefined);

/** Changes all fields: clears own fields that the input omits. Throws like `updateUser`. */
export const replaceUser = (input: z.infer<typeof replaceUserInput>, by: Actor): Promise<User> =>
  updateUser(toChanges(input), by);

/** Loads the user, unless `current` is at hand, and checks the conditions. Throws NOT_FOUND and PRECONDITION_FAILED. */
export async function getUserToWrite({ id, ...conditions }: Conditions, current?: StoredUser): Promise<StoredUser> {
  if (current) checkConditions(current.user, conditions);
  return current ?? getStoredUser({ id, ...conditions });
}

/**
 * A user before and after a write. A creation has no `before`, a deletion no `after`. A creation under a former id may follow
 * a deletion.
 */
export type Change = {
  before?: StoredUser | undefined;
  after?: NewVersion | undefined;
  by: Actor;
  deletion?: DeletionRecord | undefined;
};

/** A write of one user. */
export type UserWrite = {
  /** The user, if the caller has just read it. */
  current?: StoredUser;
  /**
   * Returns the change for the next attempt, with a new time and, for a creation, a new id. Loads the user unless `current`
   * is at hand. Returns undefined if nothing is to be written. Its errors end the write. `deletion` is the deletion record that
   * failed the last attempt.
   */
  plan(
    current: StoredUser | undefined,
    deletion: DeletionRecord | undefined,
  ): Change | undefined | Promise<Change | undefined>;
  /** Returns more items for the same transaction. They have no conditions. */
  listCompanions?: (change: Change) => TransactItem[];
  /** Makes a creation safe to repeat. */
  idempotency?: IdempotencyRecord | undefined;
  /**
   * Set for a creation under an id that is not new. The transaction requires that the deletion record is the one of the
   * change.
   */
  hasFormerId?: boolean;
  /**
   * Set to rewrite the derived items of an unchanged user, without a new version. `formerFields` are unique no longer. Of two
   * users with one value, the older one gets the claim.
   */
  rewrite?: { formerFields: readonly string[] };
};

/** An attempt to create or delete a user ends after this long: the page index assumes that none lands with an older time. */
export const WRITE_ATTEMPT_MS = 3_000;

/** Two users have the same value of a unique field. `ownerId` is the older one, who has the claim. */
export type Duplicate = { field: string; userId: string; ownerId: string };

export type WriteOutcome =
  | { kind: 'written'; change: Change; duplicates: Duplicate[] }
  | { kind: 'unneeded'; duplicates: Duplicate[] }
  /** An earlier request with the same idempotency key created `first`. */
  | { kind: 'repeated'; first: ReturnType<IdempotencyRecord['replay']> }
  /** `owner` has the id, the email address or the value of the unique field named by `field`. */
  | { kind: 'taken'; field: string; owner: User };

export async function writeUser(write: UserWrite): Promise<WriteOutcome> {
  const [outcome] = await writeUsers([write]);
  return outcome as WriteOutcome; // One for each write.
}

/**
 * Writes users with their derived items, as many per transaction as fit. Each turn of the loop makes one attempt. A user
 * who cannot be written does not stop the others.
 *
 * Throws what `plan` throws, CONFLICT if other writes come first until the deadline, and SERVICE_UNAVAILABLE if the
 * database throttles or a request without an answer may still be executed.
 */
export async function writeUsers(writes: UserWrite[]): Promise<WriteOutcome[]> {
  const jobs = writes.map(createJob);
  const backoff = new Backoff();
  let attempt = await prepareAttempt(jobs);
  while (attempt) {
    const { parts, request } = attempt;
    const result = await request.send();
    const { outcomeUnknown } = request;
    switch (result.kind) {
      case 'written':
        for (const { job, change } of parts) job.outcome ??= { kind: 'written', change, duplicates: job.duplicates };
        backoff.reset();
        break;
      case 'conditionFailed':
        await settleFailures(result.failed, outcomeUnknown);
        await backoff.pause(concurrentChanges);
        break;
      case 'conflict':
      case 'throttled': {
        const isCreation = parts.some(({ change }) => !change.before);
        const isUnsure = outcomeUnknown || isCreation || result.kind === 'throttled';
        await backoff.pause(isUnsure ? unavailable : concurrentChanges);
        // Only its own client token shows whether a request without an answer was executed.
        if (outcomeUnknown) continue;
      }
    }
    attempt = await prepareAttempt(jobs);
  }
  return jobs.map(({ outcome }) => outcome as WriteOutcome); // All jobs are settled.
}

/** The progress of one write. */
type Job = {
  write: UserWrite;
  /** The user as last read. */
  current?: StoredUser | undefined;
  /** The deletion record as last read. */
  deletion?: DeletionRecord | undefined;
  /** Claims that the next attempt leaves to their owners, as formatted keys. Forgotten when the user changes. */
  skipped: Set<string>;
  /** Claims that the next attempt replaces, by partition key. */
  replaced: Map<string, ReplacedClaim>;
  duplicates: Duplicate[];
  outcome?: WriteOutcome;
};

const createJob = (write: UserWrite): Job => ({
  write,
  current: write.current,
  skipped: new Set(),
  replaced: new Map(),
  duplicates: [],
});

/** A claim whose user does not own the value, or must give it to an older user. The user may be gone. */
type ReplacedClaim = { stored: StoredClaim; owner: StoredUser | undefined; isTakenOver: boolean };

/** An item of an attempt. */
type Part = { item: TransactItem; job: Job; change: Change } & (
  | { kind: 'user' | 'idempotency' | 'deletion' | 'unconditional' }
  | { kind: 'claim'; claim: Claim }
  | { kind: 'release'; key: Key }
  | { kind: 'owner'; ownerId: string }
);

/** One request, which may be sent again. */
type Attempt = {
  parts: Part[];
  request: { outcomeUnknown: boolean; send(): Promise<SendResult<Part>> };
};

/** Prepares the next transaction: the first jobs whose items fit and differ. Undefined when all jobs are settled. */
async function prepareAttempt(jobs: Job[]): Promise<Attempt | undefined> {
  const open = jobs.filter(({ outcome }) => !outcome);
  const parts: Part[] = [];
  const keys = new Set<string>();
  for (const job of open) {
    const change = await job.write.plan(job.current, job.deletion);
    job.current = change?.before;
    const { own, update } = change ? listParts(job, change) : { own: [], update: undefined };
    if (own.length === 0) {
      job.outcome = { kind: 'unneeded', duplicates: job.duplicates };
      continue;
    }
    // A single update without a transaction costs half.
    if (open.length === 1 && update && own.length === 1) return { parts: own, request: updateAlone(own, update) };
    const ownKeys = own.map(({ item }) => formatItemKey(item));
    // A transaction accepts each key once: two users who claim the same value take turns.
    if (ownKeys.some((key) => keys.has(key))) continue;
    if (parts.length > 0 && keys.size + ownKeys.length > MAX_TRANSACTION_ITEMS) break;
    for (const key of ownKeys) keys.add(key);
    parts.push(...own);
  }
  if (parts.length === 0) return undefined;
  const isBounded = parts.some(({ change }) => !change.before || !change.after);
  return { parts, request: new Transaction(parts, isBounded ? WRITE_ATTEMPT_MS : undefined) };
}

function updateAlone(parts: Part[], update: Update): Attempt['request'] {
  const request = new RepeatableUpdate(update);
  return {
    get outcomeUnknown() {
      return request.outcomeUnknown;
    },
    async send() {
      const result = await request.send();
      if (result.kind !== 'conditionFailed') return result;
      return { kind: 'conditionFailed', failed: parts.map((write) => ({ write, failure: result.failure })) };
    },
  };
}

/** The items of a job's next attempt. `update` is set if the user is updated. */
function listParts(job: Job, change: Change): { own: Part[]; update: Update | undefined } {
  const { write, skipped, replaced } = job;
  const { before, after } = change;
  const user = after ?? before?.user;
  if (!user) throw new Error('A change needs a user before or after it');
  const { id, version } = user;
  const { puts, deletes, derived } = compareDerived(before?.derived ?? [], after, id, { skipped, ...write.rewrite });
  const part = { job, change };
  const own: Part[] = [];
  // The idempotency record comes first: a repetition also fails on its claims.
  if (write.idempotency && after)
    own.push({ ...part, kind: 'idempotency', item: write.idempotency.item({ id, createdAt: after.createdAt }) });
  if (write.hasFormerId) own.push({ ...part, kind: 'deletion', item: requireDeletion(id, change.deletion) });
  for (const derivedItem of puts) {
    const { key } = derivedItem;
    if (isClaim(derivedItem)) {
      const item = putClaim(key, { userId: id, version }, replaced.get(key.pk)?.stored);
      own.push({ ...part, kind: 'claim', claim: derivedItem, item });
    } else own.push({ ...part, kind: 'unconditional', item: { Put: { TableName, Item: key } } });
  }
  for (const key of deletes) own.push({ ...part, kind: 'release', key, item: deleteDerived(key, id) });
  own.push(...listOwnerParts(job, change, id));
  const isRewrite = write.rewrite !== undefined;
  const hasItemChanges = puts.length > 0 || deletes.length > 0;
  if (isRewrite && !hasItemChanges && isSameRecord(before?.record, derived)) return { own: [], update: undefined };
  const update = before && after ? updateUserItem(before, after, { derived, isRewrite }) : undefined;
  const item = update
    ? { Update: { ...update, TableName } }
    : after
      ? putUserItem(after, derived)
      : deleteUserItem(before as StoredUser); // See above.
  own.push({ ...part, kind: 'user', item });
  for (const companion of write.listCompanions?.(change) ?? [])
    own.push({ ...part, kind: 'unconditional', item: companion });
  return { own, update };
}

/** The items of the transaction that creates a user. */
export function listCreationItems(user: User): TransactItem[] {
  const change = { after: { ...user, by: user.by as Actor }, by: user.by as Actor }; // A missing `by` is not stored.
  return listParts(createJob({ plan: () => change }), change).own.map(({ item }) => item);
}

const isClaim = (item: DerivedItem): item is Claim => item.claimOf !== undefined;

/** Replacing a claim requires that its former user is still as read. */
function listOwnerParts(job: Job, change: Change, id: string): Part[] {
  const byOwner = Map.groupBy(job.replaced, ([, { stored }]) => stored.userId);
  byOwner.delete(id);
  return [...byOwner].map(([ownerId, claims]) => {
    const owner = claims[0]?.[1].owner;
    const taken = claims.filter(([, { isTakenOver }]) => isTakenOver).map(([pk]) => pk);
    const item = owner
      ? taken.length > 0
        ? { Update: removeDerived(owner, taken) }
        : { ConditionCheck: { ...ifUnchanged(owner) } }
      : { ConditionCheck: { TableName, Key: userKey(ownerId), ConditionExpression: 'attribute_not_exists(pk)' } };
    return { job, change, kind: 'owner', ownerId, item };
  });
}

/** Decides for each job of a failed attempt how it goes on. */
async function settleFailures(
  failed: { write: Part; failure: ConditionFailure }[],
  outcomeUnknown: boolean,
): Promise<void> {
  const byJob = Map.groupBy(failed, ({ write }) => write.job);
  await Promise.all(
    [...byJob].map(async ([job, ofJob]) => {
      const ofUser = ofJob.find(({ write }) => write.kind === 'user' && write.change.before);
      if (ofUser) {
        // Another write of the user came first. Start over with the rest.
        job.current = ofUser.failure.item && parseStoredUser(ofUser.failure.item);
        job.skipped.clear();
        job.replaced.clear();
        return;
      }
      const ofDeletion = ofJob.find(({ write }) => write.kind === 'deletion');
      if (ofDeletion) {
        // A user with this id was deleted before, or since the last attempt.
        job.deletion = ofDeletion.failure.item && parseDeletion(ofDeletion.failure.item);
        return;
      }
      for (const { write: part, failure } of ofJob) {
        await settlePart(part, failure, outcomeUnknown);
        if (job.outcome) return;
      }
    }),
  );
}

async function settlePart(part: Part, failure: ConditionFailure, outcomeUnknown: boolean): Promise<void> {
  const { job, change } = part;
  switch (part.kind) {
    case 'idempotency':
      if (job.write.idempotency) job.outcome = { kind: 'repeated', first: job.write.idempotency.replay(failure) };
      return;
    case 'user':
      // A fresh id exists only if an earlier request of this write created it. A former id is taken for good: no late copy of
      // this request succeeds, because the deletion of the user would change the deletion record.
      if (!job.write.hasFormerId || !failure.item) throw unavailable();
      job.outcome = { kind: 'taken', field: 'id', owner: parseStoredUser(failure.item).user };
      return;
    case 'claim':
      // A request without an answer may still succeed, so CONFLICT could be wrong.
      if (outcomeUnknown) throw unavailable();
      return settleClaim(part.claim, part, failure);
    case 'release':
      if (outcomeUnknown && change.after) throw unavailable();
      // Another user has claimed the value. Never delete another user's claim.
      job.skipped.add(formatDerivedKey(part.key, (change.before as StoredUser).user.id)); // Only existing users release.
      return;
    case 'owner':
      for (const [pk, { stored }] of [...job.replaced]) if (stored.userId === part.ownerId) job.replaced.delete(pk);
      return;
    case 'deletion':
    case 'unconditional':
      throw new Error('An item without a condition failed');
  }
}

/** Decides what to do about a value that is already claimed. */
async function settleClaim({ key, claimOf }: Claim, { job, change }: Part, { item }: ConditionFailure): Promise<void> {
  const { before, after } = change;
  job.replaced.delete(key.pk);
  // The claim that the attempt wanted to replace is gone.
  if (!item || !after) return;
  const stored = parseClaim(item);
  const owner = await findStoredUser(stored.userId);
  if (!owner || owner.user.id === after.id || !ownsClaim(owner, key)) {
    job.replaced.set(key.pk, { stored, owner, isTakenOver: false });
    return;
  }
  const isUnchanged = before && listClaims(before.user).some((claim) => claim.key.pk === key.pk);
  if (!isUnchanged) {
    job.outcome = { kind: 'taken', field: claimOf, owner: owner.user };
    return;
  }
  // Two users share the value, since the field was not always unique.
  const isOlder = after.id < owner.user.id;
  if (job.write.rewrite) {
    const [ownerId, userId] = isOlder ? [after.id, owner.user.id] : [owner.user.id, after.id];
    job.duplicates.push({ field: claimOf, userId, ownerId });
  }
  if (job.write.rewrite && isOlder) job.replaced.set(key.pk, { stored, owner, isTakenOver: true });
  else job.skipped.add(formatDerivedKey(key, after.id));
}

function formatItemKey({ Put, Update, Delete, ConditionCheck }: TransactItem): string {
  const { pk, sk } = (Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {}) as Partial<Key>;
  return formatKey({ pk: String(pk), sk: String(sk) });
}

/** The condition that a user is as read. A rewrite of derived items keeps the version, so the record is compared, too. */
const ifUnchanged = ({ user, record }: StoredUser) => ({
  TableName,
  Key: userKey(user.id),
  ConditionExpression: `version = :read AND ${record === undefined ? 'attribute_not_exists(derived)' : 'derived = :record'}`,
  ExpressionAttributeValues: { ':read': user.version, ...(record === undefined ? {} : { ':record': record }) },
});

const putUserItem = ({ id, own: _, ...attributes }: NewVersion, derived: string[]): TransactItem => ({
  Put: {
    TableName,
    Item: { ...userKey(id), directory: DIRECTORY, ...attributes, derived },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

/** Sets only attributes that this release knows, so that attributes of a later one stay. */
function updateUserItem(
  before: StoredUser,
  { name, email, fields, updatedAt, version, by }: NewVersion,
  { derived, isRewrite }: { derived: string[]; isRewrite: boolean },
): Update {
  const condition = ifUnchanged(before);
  const attributes = {
    ...(isRewrite ? {} : { name, email, updatedAt, version, by }),
    ...(!isRewrite && fields !== before.user.fields ? { fields } : {}),
    ...(isRewrite || !isSameRecord(before.record, derived) ? { derived } : {}),
  };
  const names = Object.keys(attributes);
  return {
    ...condition,
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`:${name}`, value])),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

const isSameRecord = (record: unknown, derived: readonly string[]): boolean =>
  isDeepStrictEqual(Array.isArray(record) ? record.toSorted() : record, derived.toSorted());

const deleteUserItem = (before: StoredUser): TransactItem => ({
  Delete: { ...ifUnchanged(before), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
});

/** Removes claims from the record of a user who keeps the values. */
function removeDerived(owner: StoredUser, texts: string[]) {
  const condition = ifUnchanged(owner);
  return {
    ...condition,
    UpdateExpression: 'SET derived = :derived',
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ':derived': owner.derived.filter((text) => !texts.includes(text)),
    },
  };
}

/** `stale` is the claim to replace. Its version shows whether anyone, even the same user, has claimed the value since. */
const putClaim = (key: Key, claim: StoredClaim, stale: StoredClaim | undefined): TransactItem => ({
  Put: {
    TableName,
    Item: { ...key, ...claim },
    ...(stale
      ? {
          ConditionExpression: 'userId = :userId AND (attribute_not_exists(version) OR version = :version)',
          ExpressionAttributeValues: { ':userId': stale.userId, ':version': stale.version },
        }
      : { ConditionExpression: 'attribute_not_exists(pk)' }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

/** Index entries have no owner: their keys contain the user's id. */
export const deleteDerived = (Key: Key, userId: string): TransactItem => ({
  Delete: {
    TableName,
    Key,
    ConditionExpression: 'attribute_not_exists(userId) OR userId = :userId',
    ExpressionAttributeValues: { ':userId': userId },
  },
});
