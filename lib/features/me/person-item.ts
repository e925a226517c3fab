import { TableName } from '../../dynamodb/client.ts';
import { sendUpdate, type Update } from '../../dynamodb/conditional.ts';
import type { Key } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { concurrentChanges, ServiceError } from '../../errors.ts';
import type { Deletion } from '../../users/deletion-record.ts';
import { listSubjects } from '../../users/fields/values.ts';
import { personKey } from './keys.ts';

// The item of a person counts the writes of this hour and the downloads of this day (UTC), and stores until when a
// deletion blocks a new record.

export const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** `window`: attribute with the number of the period that `counter` counts in. */
export type Limit = { counter: string; window: string; seconds: number; max: number; text: string };

const WRITES: Limit = {
  counter: 'writes',
  window: 'countedHour',
  seconds: HOUR_SECONDS,
  max: 60,
  text: '60 changes an hour',
};

const DOWNLOADS: Limit = {
  counter: 'downloads',
  window: 'countedDay',
  seconds: DAY_SECONDS,
  max: 3,
  text: 'three downloads a day',
};

const tooMany = ({ text }: Limit, retryAfterSeconds: number) =>
  new ServiceError('TOO_MANY_REQUESTS', `The limit of ${text} is reached`, { retryAfterSeconds });

export const tooManyWrites = (retryAfterSeconds: number) => tooMany(WRITES, retryAfterSeconds);

/** Throws TOO_MANY_REQUESTS after 60 writes in a clock hour. */
export const countWrite = (subject: string): Promise<void> => countUse(personKey(subject), WRITES);

/** Throws TOO_MANY_REQUESTS after three downloads in a day (UTC). */
export const countDownload = (subject: string): Promise<void> => countUse(personKey(subject), DOWNLOADS);

/** Throws TOO_MANY_REQUESTS above the limit. A retry after a lost answer may count twice. */
export async function countUse(Key: Key, limit: Limit): Promise<void> {
  const { counter, window, seconds, max } = limit;
  const now = environment.now() / 1000;
  const period = Math.floor(now / seconds);
  const end = (period + 1) * seconds;
  const names = { '#counter': counter, '#window': window };
  const counted = await update({
    Key,
    UpdateExpression: 'SET #counter = #counter + :one',
    ConditionExpression: '#window >= :period AND #counter < :max',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':period': period, ':one': 1, ':max': max },
  });
  if (!counted.failure) return;
  const { [window]: countedPeriod, expiresAt: stored = 0 } = counted.failure.item ?? {};
  if (Number(countedPeriod) >= period) throw tooMany(limit, Math.ceil(end - now));
  // The item may also remember a deletion or another count: keep it until the latest end.
  const expiresAt = Math.max(end, Number(stored));
  const started = await update({
    Key,
    UpdateExpression: 'SET #window = :period, #counter = :one, expiresAt = :expiresAt',
    ConditionExpression:
      '(attribute_not_exists(#window) OR #window < :period) AND (attribute_not_exists(expiresAt) OR expiresAt <= :expiresAt)',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':period': period, ':one': 1, ':expiresAt': expiresAt },
  });
  // Count again: a parallel request has started this period, or a parallel deletion has replaced the item.
  if (started.failure) await countUse(Key, limit);
}

const update = (request: Update) => retryOnConflict(() => sendUpdate(request), concurrentChanges);

/**
 * Remembers the deletion for a day, so that a token that is still valid does not recreate the record at once. Skips
 * logins that a merge keeps.
 */
export function deletedPerson({ user, mergedInto }: Deletion): TransactItem[] {
  const end = Math.floor(environment.now() / 1000) + DAY_SECONDS;
  // Uses Put, because functions that delete users have no UpdateItem permission. Put also drops the person's counts.
  const kept = mergedInto ? listSubjects(mergedInto) : [];
  const lost = listSubjects(user).filter((subject) => !kept.includes(subject));
  return lost.map((subject) => ({
    Put: { TableName, Item: { ...personKey(subject), deletedUntil: end, expiresAt: end } },
  }));
}

/** Fails with SUBJECT_DELETED while a deletion is remembered. */
export const notDeletedGuard = (subject: string): { item: TransactItem; error: () => ServiceError } => ({
  item: {
    ConditionCheck: {
      TableName,
      Key: personKey(subject),
      ConditionExpression: 'attribute_not_exists(deletedUntil) OR deletedUntil <= :now',
      ExpressionAttributeValues: { ':now': Math.floor(environment.now() / 1000) },
    },
  },
  error: () =>
    new ServiceError('CONFLICT', 'The record was deleted; it can be created again 24 hours later', {
      reason: 'SUBJECT_DELETED',
    }),
});
