import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { TableName } from '../dynamodb/client.ts';
import { type ConditionFailure, sendUpdate, type Update } from '../dynamodb/conditional.ts';
import { DIRECTORY, formatKey, type Key, userKey } from '../dynamodb/keys.ts';
import { Backoff } from '../dynamodb/requests.ts';
import { MAX_TRANSACTION_ITEMS, type SendResult, sendTransaction, type TransactItem } from '../dynamodb/transact.ts';
import { concurrentChanges, ServiceError, subjectFixed, unavailable, valueTaken } from '../errors.ts';
import { findMissingGroups, groupsMissing, listAddedGroups } from '../features/groups/memberships.ts';
import { createIdempotencyRecord, type IdempotencyKey, type IdempotencyRecord } from '../idempotency.ts';
import { type DeletionRecord, deletionRecordCheck, parseDeletion } from './deletion-record.ts';
import {
  type Claim,
  compareDerived,
  formatDerivedKey,
  hasValue,
  isClaimKey,
  ownsClaim,
  parseClaim,
  type StoredClaim,
} from './derived.ts';
import { listItems, listSubjects, pickOwnFields, signInField, subjectField } from './fields/values.ts';
import type { createUserInput, deleteUserInput, replaceUserInput } from './input.ts';
import { checkConditions, findStoredUser, getStoredUser } from './read.ts';
import {
  type Changes,
  type DerivedItem,
  type NewVersion,
  newUser,
  nextVersion,
  parseStoredUser,
  type StoredUser,
  toChanges,
  type User,
} from './user.ts';

/*
 * Derived item: a claim, which makes a value unique, or an index entry.
 * Record: the attribute `derived` of a user, with the keys of the derived items.
 * Former id: belonged to a deleted user. The deletion record has the last version.
 * Rewrite: corrects the derived items of an unchanged user, or stores the time of a sign-in, without a new version.
 * Lost answer: DynamoDB may have executed the request, or may still do so (`outcomeUnknown`). Failed conditions then
 * prove little: see `settlePart`.
 */

type Create = z.infer<typeof createUserInput>;
type Conditions = z.infer<typeof deleteUserInput>;

/** `isRepetition`: an earlier request with the same idempotency key created the user. */
export type Created = { user: User; isRepetition: boolean };

/**
 * Throws CONFLICT for a taken address or unique value, IDEMPOTENCY_KEY_REUSED for another input, and
 * SERVICE_UNAVAILABLE if a lost request may still create the user.
 */
export async function createUser(input: Create, by: Actor, key?: IdempotencyKey): Promise<Created> {
  const idempotency = key && createIdempotencyRecord('createUser', input, key);
  const result = await writeUser({ plan: () => ({ after: newUser(input, by) }), idempotency });
  switch (result.kind) {
    case 'written':
      return { user: result.change.after as User, isRepetition: false }; // A creation always has `after`.
    case 'repeated':
      return { user: newUser(input, by, result.first), isRepetition: true };
    case 'taken':
      throw valueTaken(result.field, subjectField?.name);
    case 'unneeded':
      throw new Error('createUser wrote no user');
  }
}

export type WriteOptions = {
  current?: StoredUser | undefined;
  /** Called before each attempt. May throw. */
  check?: ((user: User) => void) | undefined;
};

/**
 * Writes nothing if all values are equal. Throws NOT_FOUND, PRECONDITION_FAILED, and CONFLICT for a taken address or
 * unique value or a changed subject.
 */
export async function updateUser(input: Changes, by: Actor, { current, check }: WriteOptions = {}): Promise<User> {
  const result = await writeUser({
    current,
    async plan(latest) {
      const before = await getUserToWrite(input, latest);
      check?.(before.user);
      checkSubjectKept(before.user, input);
      return { before, after: nextVersion(before.user, input, by) };
    },
  });
  switch (result.kind) {
    case 'written':
    case 'unneeded':
      return result.change?.after as User; // An update always plans a change with `after`.
    case 'taken':
      throw valueTaken(result.field, subjectField?.name);
    case 'repeated':
      throw new Error('An update has no idempotency key');
  }
}

/** A user keeps at least one former subject. */
export function checkSubjectKept(user: User, input: Changes): void {
  const sent = subjectField && pickOwnFields(input)[subjectField.name];
  if (!subjectField || sent === undefined) return;
  const [stored, next] = [listSubjects(user), listItems(sent)];
  if (stored.length > 0 && !stored.some((subject) => next.includes(subject))) throw subjectFixed(subjectField.name);
}

export const replaceUser = (input: z.infer<typeof replaceUserInput>, by: Actor): Promise<User> =>
  updateUser(toChanges(input), by);

export async function getUserToWrite({ id, ...conditions }: Conditions, current?: StoredUser): Promise<StoredUser> {
  if (!current) return getStoredUser({ id, ...conditions });
  checkConditions(current.user, conditions);
  return current;
}

/**
 * A creation has no `before`, a deletion no `after`. `deletion` is set for a creation under a former id. If `after` has
 * the version of `before`, only a rewrite writes.
 */
type OwnChange = {
  before?: StoredUser | undefined;
  after?: NewVersion | undefined;
  deletion?: DeletionRecord | undefined;
  /** Another user. If this user has changed, the write plans again. */
  unchanged?: StoredUser | undefined;
};

/** `also`: change of another user in the same transaction. Released claims pass to the other user. */
export type Change = OwnChange & { also?: OwnChange | undefined };

export type UserWrite = {
  current?: StoredUser | undefined;
  /**
   * The change for the next attempt, with a new time and, for a creation, a new id. Undefined if there is nothing to
   * write. `deletion` is the record that failed the last attempt. An error thrown here ends the write.
   */
  plan(
    current: StoredUser | undefined,
    deletion: DeletionRecord | undefined,
  ): Change | undefined | Promise<Change | undefined>;
  /** Added to the same transaction, without conditions. */
  listCompanions?: (change: Change) => TransactItem[];
  idempotency?: IdempotencyRecord | undefined;
  /** A condition on another item, and the error if it fails. */
  guard?: { item: TransactItem; error: () => ServiceError };
  /** The id may have been used before: the transaction checks that the deletion record is still `Change.deletion`. */
  hasFormerId?: boolean;
  /** `plan` leaves out groups that do not exist. If one was deleted since, the write plans again. */
  dropsMissingGroups?: boolean;
  /** Deletes the user's claims of `formerFields`, which are no longer unique. */
  rewrite?: { formerFields: readonly string[] };
};

/**
 * Time limit of a transaction that creates or deletes a user, with all its resends. Then the write fails with
 * SERVICE_UNAVAILABLE. The page index assumes that these transactions land soon after their timestamp. Updates have no
 * such limit, because the index does not count them.
 */
export const WRITE_ATTEMPT_MS = 3_000;

/** `userId` has had a value since before its field was unique. `holder`, who has it too, has the claim `stored`. */
export type SharedValue = { claim: Claim; userId: string; holder: StoredUser; stored: StoredClaim };

export type WriteOutcome =
  | { kind: 'written'; change: Change; shared: SharedValue[] }
  | { kind: 'unneeded'; change: Change | undefined; shared: SharedValue[] }
  | { kind: 'repeated'; first: ReturnType<IdempotencyRecord['replay']> }
  /** `owner` has the id, the address or the value of the unique field `field`. */
  | { kind: 'taken'; field: string; owner: User }
  /** BAD_USER_INPUT, because a group does not exist. */
  | { kind: 'rejected'; error: ServiceError };

export type SingleOutcome = Exclude<WriteOutcome, { kind: 'rejected' }>;

/** Throws BAD_USER_INPUT for a group that does not exist, and the errors of `writeUsers`. */
export async function writeUser(write: UserWrite): Promise<SingleOutcome> {
  const outcome = (await writeUsers([write]))[0] as WriteOutcome; // `writeUsers` returns one outcome per write.
  if (outcome.kind === 'rejected') throw outcome.error;
  return outcome;
}

/**
 * Writes as many users per transaction as fit. Each turn of the loop makes one attempt. If another user has a value,
 * only the write of that value ends. A thrown error ends all writes.
 *
 * Throws errors of `plan` and `guard`, and CONFLICT if concurrent writes win until the deadline. Throws
 * SERVICE_UNAVAILABLE if DynamoDB throttles or may still execute a lost request, and after WRITE_ATTEMPT_MS.
 */
export async function writeUsers(writes: UserWrite[]): Promise<WriteOutcome[]> {
  const jobs = writes.map(createJob);
  const backoff = new Backoff();
  let attempt = await prepareAttempt(jobs);
  while (attempt) {
    const { parts } = attempt;
    if (await settleMissingGroups(parts)) {
      attempt = await prepareAttempt(jobs);
      continue;
    }
    const result = await sendAttempt(attempt);
    switch (result.kind) {
      case 'written':
        // The first part of a job is of the planned change, not of `also`.
        for (const { job, change } of parts) job.outcome ??= { kind: 'written', change, shared: job.shared };
        backoff.reset();
        break;
      case 'conditionFailed':
        await settleFailures(result.failed, result.outcomeUnknown);
        // Settled writes need no other attempt, and the pause could exceed the time limit.
        if (result.failed.some(({ part }) => !part.job.outcome)) await backoff.pause(chooseConflict(parts));
        break;
      case 'conflict':
        await backoff.pause(chooseConflict(parts));
        break;
      case 'throttled':
        await backoff.pause(unavailable);
    }
    attempt = await prepareAttempt(jobs);
  }
  return jobs.map(({ outcome }) => outcome as WriteOutcome); // All jobs are settled.
}

/**
 * SERVICE_UNAVAILABLE for creations, because no client can change a user who does not exist yet, and for rewrites,
 * because `on-change` retries only this error. CONFLICT would make the record a dead letter.
 */
const chooseConflict = (parts: Part[]): (() => ServiceError) =>
  parts.every(({ change, job }) => change.before && !job.write.rewrite) ? concurrentChanges : unavailable;

type Job = {
  write: UserWrite;
  current?: StoredUser | undefined;
  deletion?: DeletionRecord | undefined;
  /** Formatted keys of claims that the next attempt does not write or delete. Cleared when the user changes. */
  toSkip: Set<string>;
  /** Stale claims that the next attempt replaces, by partition key. Cleared when the user changes. */
  toReplace: Map<string, StaleClaim>;
  /** Values without a claim, because another user holds it. Cleared when the user changes. */
  shared: SharedValue[];
  outcome?: WriteOutcome;
};

const createJob = (write: UserWrite): Job => ({
  write,
  current: write.current,
  toSkip: new Set(),
  toReplace: new Map(),
  shared: [],
});

/** `holder` is undefined if deleted. */
type StaleClaim = { stored: StoredClaim; holder: StoredUser | undefined };

/** `id`: of the user. A part `holder` checks that a claim is still stale, `unchanged` is the check of the change. */
type Part = { item: TransactItem; job: Job; change: OwnChange; id: string } & (
  | { kind: 'user' | 'deletionRecord' | 'holder' | 'unchanged' | 'unconditional' }
  | { kind: 'idempotency'; idempotency: IdempotencyRecord }
  | { kind: 'guard'; guard: NonNullable<UserWrite['guard']> }
  | { kind: 'claim'; claim: Claim }
  | { kind: 'release'; key: Key }
);

/** `update` is set if it is the only item. */
type Attempt = { parts: Part[]; update?: Update };

async function prepareAttempt(jobs: Job[]): Promise<Attempt | undefined> {
  const open = jobs.filter(({ outcome }) => !outcome);
  const parts: Part[] = [];
  const keys = new Set<string>();
  for (const job of open) {
    const change = await job.write.plan(job.current, job.deletion);
    job.current = change?.before;
    const { jobParts, update } = change ? listParts(job, change) : NOTHING;
    if (jobParts.length === 0) {
      job.outcome = { kind: 'unneeded', change, shared: job.shared };
      continue;
    }
    // A single UpdateItem costs half as much as a transaction.
    if (open.length === 1 && update && jobParts.length === 1) return { parts: jobParts, update };
    const jobKeys = jobParts.map(({ item }) => formatItemKey(item));
    // A transaction may contain each key once. If two users claim the same value, the second waits for a later attempt.
    if (jobKeys.some((key) => keys.has(key))) continue;
    if (parts.length > 0 && keys.size + jobKeys.length > MAX_TRANSACTION_ITEMS) break;
    for (const key of jobKeys) keys.add(key);
    parts.push(...jobParts);
  }
  return parts.length > 0 ? { parts } : undefined;
}

/**
 * Rejects writes that add a missing group. A repeated creation returns its first result, and a write with
 * `dropsMissingGroups` plans again. Returns true if any write adds a missing group. A group may be deleted after this
 * read: the job of its deletion waits for late writes.
 */
async function settleMissingGroups(parts: readonly Part[]): Promise<boolean> {
  const users = parts.filter(({ kind }) => kind === 'user');
  const toChange = ({ change: { before, after } }: Part) => ({ before: before?.user, after });
  const missing = await findMissingGroups(users.map(toChange));
  if (missing.length === 0) return false;
  for (const part of users) {
    const { job } = part;
    const own = listAddedGroups(toChange(part)).filter((id) => missing.includes(id));
    if (own.length === 0 || job.write.dropsMissingGroups) continue;
    const first = await job.write.idempotency?.find();
    job.outcome = first ? { kind: 'repeated', first } : { kind: 'rejected', error: groupsMissing(own) };
  }
  return true;
}

async function sendAttempt({ parts, update }: Attempt): Promise<SendResult<Part>> {
  if (update) {
    const result = await sendUpdate(update);
    if (result === 'retry') return { kind: 'conflict' };
    const { failure } = result;
    if (!failure) return { kind: 'written' };
    return { kind: 'conditionFailed', failed: parts.map((part) => ({ part, failure })), outcomeUnknown: false };
  }
  const createsOrDeletes = parts.some(({ change }) => !change.before || !change.after);
  return sendTransaction(parts, createsOrDeletes ? WRITE_ATTEMPT_MS : undefined);
}

type JobParts = { jobParts: Part[]; update: Update | undefined };

const NOTHING: JobParts = { jobParts: [], update: undefined };

/** Returns the items to write. Failures are handled in the order of these items. */
function listParts(job: Job, change: Change): JobParts {
  const { write, toReplace } = job;
  const { idempotency, guard } = write;
  const { after, also } = change;
  const { jobParts: userParts, update } = listUserParts(job, change, also);
  if (userParts.length === 0) return NOTHING;
  const { id } = getWritten(change);
  const base = { job, change, id };
  const jobParts: Part[] = [];
  // First, because the claims of a repeated creation fail, too, and the first failure decides the outcome.
  if (idempotency && after) {
    const item = idempotency.item({ id, createdAt: after.createdAt });
    jobParts.push({ ...base, kind: 'idempotency', idempotency, item });
  }
  if (guard) jobParts.push({ ...base, kind: 'guard', guard, item: guard.item });
  if (write.hasFormerId)
    jobParts.push({ ...base, kind: 'deletionRecord', item: deletionRecordCheck(id, change.deletion) });
  jobParts.push(...userParts);
  // A transaction may contain each key once, but one user may hold several stale claims.
  const holders = new Map([...toReplace.values()].map(({ stored, holder }) => [stored.userId, holder]));
  holders.delete(id);
  if (also) {
    const keys = new Set(userParts.map(({ item }) => formatItemKey(item)));
    // Two reads at different moments may show the same claim with both users: the conditions then fail.
    jobParts.push(...listUserParts(job, also, change).jobParts.filter(({ item }) => !keys.has(formatItemKey(item))));
    holders.delete(getWritten(also).id);
  }
  for (const [holderId, holder] of holders) {
    const isMissing = { TableName, Key: userKey(holderId), ConditionExpression: 'attribute_not_exists(pk)' };
    jobParts.push({ ...base, kind: 'holder', item: holder ? unchangedCheck(holder) : { ConditionCheck: isMissing } });
  }
  // A holder has the same check.
  if (change.unchanged && !holders.has(change.unchanged.user.id))
    jobParts.push({ ...base, kind: 'unchanged', item: unchangedCheck(change.unchanged) });
  for (const companion of write.listCompanions?.(change) ?? [])
    jobParts.push({ ...base, kind: 'unconditional', item: companion });
  return { jobParts: also ? limitParts(jobParts, also) : jobParts, update };
}

function getWritten({ before, after }: OwnChange): User {
  const user = after ?? before?.user;
  if (!user) throw new Error('A change needs a user before or after it');
  return user;
}

/** Leaves index entries of a deleted user to `on-change` if the transaction has no room for them. */
function limitParts(parts: Part[], also: OwnChange): Part[] {
  if (parts.length <= MAX_TRANSACTION_ITEMS) return parts;
  const isLeft = (part: Part) =>
    part.kind === 'release' && part.change === also && !also.after && !isClaimKey(part.key);
  const limited = parts.filter((part) => !isLeft(part));
  if (limited.length <= MAX_TRANSACTION_ITEMS) return limited;
  throw new ServiceError(
    'BAD_USER_INPUT',
    `The change writes ${limited.length} items, of which a transaction has at most ${MAX_TRANSACTION_ITEMS}: change fewer values at once`,
  );
}

const releasesClaim = ({ before, after }: OwnChange, key: Key): boolean =>
  before !== undefined && ownsClaim(before, key) && !(after && hasValue(after, key));

/** `other`: change of another user in the same transaction. */
function listUserParts(job: Job, change: OwnChange, other: OwnChange | undefined): JobParts {
  const { write, toSkip, toReplace } = job;
  const { before, after } = change;
  const { id, version } = getWritten(change);
  const options = { skipped: toSkip, ...write.rewrite };
  const { puts, deletes, derived } = compareDerived(before?.derived ?? [], after, id, options);
  const isRewrite = write.rewrite !== undefined;
  const hasSameKeys = puts.length + deletes.length === 0 && isSameDerived(before?.record, derived);
  const hasSameFields = after?.fields === before?.user.fields;
  // Any other change that keeps the version changes no value.
  if (isRewrite ? hasSameKeys && hasSameFields : after?.version === before?.user.version) return NOTHING;
  const base = { job, change, id };
  const jobParts: Part[] = [];
  for (const derivedItem of puts) {
    const { key } = derivedItem;
    if (isClaim(derivedItem)) {
      const releasedBy = other && releasesClaim(other, key) ? getWritten(other).id : undefined;
      const item = claimItem(key, { userId: id, version }, toReplace.get(key.pk)?.stored, releasedBy);
      jobParts.push({ ...base, kind: 'claim', claim: derivedItem, item });
    } else jobParts.push({ ...base, kind: 'unconditional', item: { Put: { TableName, Item: key } } });
  }
  // A claim that passes to the other user is put, not deleted.
  for (const key of deletes)
    if (!(other?.after && hasValue(other.after, key)))
      jobParts.push({ ...base, kind: 'release', key, item: releaseItem(key, id) });
  const update = before && after ? updateUserItem(before, after, { derived, isRewrite }) : undefined;
  jobParts.push({ ...base, kind: 'user', item: userItem(change, derived, update) });
  return { jobParts, update };
}

function userItem({ before, after }: OwnChange, derived: string[], update: Update | undefined): TransactItem {
  if (update) return { Update: { ...update, TableName } };
  return after ? putUserItem(after, derived) : deleteUserItem(before as StoredUser); // A deletion always has `before`.
}

/** For sample data, which is written without transactions. */
export function listCreationItems(user: User): TransactItem[] {
  const after = user as NewVersion; // DynamoDB stores no attribute if `by` is missing.
  const change = { after };
  return listParts(createJob({ plan: () => change }), change).jobParts.map(({ item }) => item);
}

const isClaim = (item: DerivedItem): item is Claim => item.claimOf !== undefined;

type FailedPart = { part: Part; failure: ConditionFailure };

async function settleFailures(failed: FailedPart[], outcomeUnknown: boolean): Promise<void> {
  const byJob = Map.groupBy(failed, ({ part }) => part.job);
  await Promise.all([...byJob].map(([job, failedParts]) => settleJob(job, failedParts, outcomeUnknown)));
}

async function settleJob(job: Job, failed: FailedPart[], outcomeUnknown: boolean): Promise<void> {
  const userFailure = failed.find(({ part }) => part.kind === 'user' && part.change.before)?.failure;
  if (userFailure) {
    // A concurrent write has changed the user: plan again for the user as stored now.
    job.current = userFailure.item && parseStoredUser(userFailure.item);
    job.toSkip.clear();
    job.toReplace.clear();
    job.shared = [];
    return;
  }
  const deletionFailure = failed.find(({ part }) => part.kind === 'deletionRecord')?.failure;
  if (deletionFailure) {
    // The deletion record has changed: plan again with the stored one.
    job.deletion = deletionFailure.item && parseDeletion(deletionFailure.item);
    return;
  }
  for (const { part, failure } of failed) {
    await settlePart(part, failure, outcomeUnknown);
    if (job.outcome) return;
  }
}

/** After a lost answer, our own earlier request may have caused the failure, or may still succeed. */
async function settlePart(part: Part, failure: ConditionFailure, outcomeUnknown: boolean): Promise<void> {
  const { job, change } = part;
  switch (part.kind) {
    case 'idempotency':
      job.outcome = { kind: 'repeated', first: part.idempotency.replay(failure) };
      return;
    case 'guard':
      throw part.guard.error();
    case 'user':
      // A new id exists only if our own lost request has created the user. A former id is certainly taken: a lost
      // request would need another deletion to succeed, but every deletion changes the deletion record that it checks.
      if (!job.write.hasFormerId || !failure.item) throw unavailable();
      job.outcome = { kind: 'taken', field: 'id', owner: parseStoredUser(failure.item).user };
      return;
    case 'claim':
      // The lost request may still succeed, so CONFLICT could be wrong.
      if (outcomeUnknown) throw unavailable();
      return settleClaim(part.claim, part, failure);
    case 'release':
      // If the lost request has deleted the user, all claims are gone as intended. Only updates are in doubt.
      if (outcomeUnknown && change.after) throw unavailable();
      // The claim belongs to another user: never delete it.
      job.toSkip.add(formatDerivedKey(part.key, part.id));
      return;
    case 'holder':
      // A holder has changed. The next attempt fails at the claims that it still has, and reads the holders again.
      job.toReplace.clear();
      return;
    case 'unchanged':
      return;
    case 'deletionRecord':
      throw new Error('A deletion record was not handled by settleJob');
    case 'unconditional':
      throw new Error('An item without a condition failed');
  }
}

async function settleClaim(claim: Claim, { job, change }: Part, { item }: ConditionFailure): Promise<void> {
  const { key, claimOf } = claim;
  const { before, after } = change;
  job.toReplace.delete(key.pk);
  // The failed claim is gone, so the next attempt can put ours.
  if (!item || !after) return;
  const stored = parseClaim(item);
  const holder = await findStoredUser(stored.userId);
  if (!holder || holder.user.id === after.id || !ownsClaim(holder, key)) {
    job.toReplace.set(key.pk, { stored, holder });
  } else if (before && hasValue(before.user, key)) {
    job.toSkip.add(formatDerivedKey(key, after.id));
    job.shared.push({ claim, userId: after.id, holder, stored });
  } else {
    job.outcome = { kind: 'taken', field: claimOf, owner: holder.user };
  }
}

function formatItemKey({ Put, Update, Delete, ConditionCheck }: TransactItem): string {
  const { pk, sk } = (Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {}) as Partial<Key>;
  return formatKey({ pk: String(pk), sk: String(sk) });
}

/**
 * Fails if the user has changed. Also compares `derived` and the time of the last sign-in, because rewrites change them
 * without a new version.
 */
function ifUnchanged({ user, record }: StoredUser) {
  const time = signInField && user.fields?.[signInField.name];
  const conditions = [
    'version = :read',
    record === undefined ? 'attribute_not_exists(derived)' : 'derived = :record',
    ...(signInField ? [time === undefined ? 'attribute_not_exists(#fields.#signIn)' : '#fields.#signIn = :time'] : []),
  ];
  return {
    TableName,
    Key: userKey(user.id),
    ConditionExpression: conditions.join(' AND '),
    ...(signInField ? { ExpressionAttributeNames: { '#fields': 'fields', '#signIn': signInField.name } } : {}),
    ExpressionAttributeValues: {
      ':read': user.version,
      ...(record === undefined ? {} : { ':record': record }),
      ...(time === undefined ? {} : { ':time': time }),
    },
  };
}

/** Fails if the user has changed. */
export const unchangedCheck = (stored: StoredUser): TransactItem => ({ ConditionCheck: ifUnchanged(stored) });

const putUserItem = ({ id, own: _, ...attributes }: NewVersion, derived: string[]): TransactItem => ({
  Put: {
    TableName,
    Item: { ...userKey(id), directory: DIRECTORY, ...attributes, derived },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

/** Keeps attributes that a later release may have added. */
function updateUserItem(
  before: StoredUser,
  { name, email, fields, updatedAt, version, by, merged }: User & Pick<NewVersion, 'merged'>,
  { derived, isRewrite }: { derived: string[]; isRewrite: boolean },
): Update {
  const condition = ifUnchanged(before);
  const attributes = {
    ...(isRewrite ? {} : { name, email, updatedAt, version, by }),
    ...(merged === undefined ? {} : { merged }),
    ...(fields !== before.user.fields ? { fields } : {}),
    ...(isRewrite || !isSameDerived(before.record, derived) ? { derived } : {}),
  };
  const names = Object.keys(attributes);
  return {
    ...condition,
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
    ExpressionAttributeNames: {
      ...condition.ExpressionAttributeNames,
      ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
    },
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`:${name}`, value])),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/** Keeps the version. */
export const recordItem = (stored: StoredUser, derived: string[]): TransactItem => ({
  Update: { ...updateUserItem(stored, stored.user, { derived, isRewrite: true }), TableName },
});

const isSameDerived = (record: unknown, derived: readonly string[]): boolean =>
  isDeepStrictEqual(Array.isArray(record) ? record.toSorted() : record, derived.toSorted());

const deleteUserItem = (before: StoredUser): TransactItem => ({
  Delete: { ...ifUnchanged(before), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
});

/**
 * `replaced`: the claim to replace. Comparing its version detects any newer claim, even by the same user. `releasedBy`:
 * user who releases the value in the same transaction.
 */
export const claimItem = (
  key: Key,
  claim: StoredClaim,
  replaced: StoredClaim | undefined,
  releasedBy?: string,
): TransactItem => ({
  Put: {
    TableName,
    Item: { ...key, ...claim },
    ...(replaced
      ? {
          ConditionExpression: 'userId = :userId AND (attribute_not_exists(version) OR version = :version)',
          ExpressionAttributeValues: { ':userId': replaced.userId, ':version': replaced.version },
        }
      : releasedBy
        ? {
            ConditionExpression: 'attribute_not_exists(pk) OR userId = :userId',
            ExpressionAttributeValues: { ':userId': releasedBy },
          }
        : { ConditionExpression: 'attribute_not_exists(pk)' }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

/** Never deletes another user's claim. Index entries have no attribute `userId`. */
export const releaseItem = (Key: Key, userId: string): TransactItem => ({
  Delete: {
    TableName,
    Key,
    ConditionExpression: 'attribute_not_exists(userId) OR userId = :userId',
    ExpressionAttributeValues: { ':userId': userId },
  },
});
