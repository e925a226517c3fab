import { TableName } from '../../dynamodb/client.ts';
import { sendUpdate, type Update } from '../../dynamodb/conditional.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { concurrentChanges, ServiceError } from '../../errors.ts';
import type { Deletion } from '../../users/deletion-record.ts';
import { listSubjects } from '../../users/fields/values.ts';
import { personKey } from './keys.ts';

// The item of a person counts the writes of this hour, and stores until when a deletion blocks a new record.

const MAX_WRITES = 60;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

export const tooManyWrites = (retryAfterSeconds: number) =>
  new ServiceError('TOO_MANY_REQUESTS', `The limit of ${MAX_WRITES} changes an hour is reached`, { retryAfterSeconds });

/**
 * Counts a write. Throws TOO_MANY_REQUESTS after 60 writes in a clock hour. A retry after a lost answer may count
 * twice.
 */
export async function countWrite(subject: string): Promise<void> {
  const now = environment.now() / 1000;
  const hour = Math.floor(now / HOUR_SECONDS);
  const end = (hour + 1) * HOUR_SECONDS;
  const Key = personKey(subject);
  const counted = await updatePerson({
    Key,
    UpdateExpression: 'SET writes = writes + :one',
    ConditionExpression: 'countedHour >= :hour AND writes < :max',
    ExpressionAttributeValues: { ':hour': hour, ':one': 1, ':max': MAX_WRITES },
  });
  if (!counted.failure) return;
  const { countedHour, deletedUntil = 0 } = counted.failure.item ?? {};
  if (Number(countedHour) >= hour) throw tooManyWrites(Math.ceil(end - now));
  // The item may also remember a deletion: keep it until the later of both times.
  const expiresAt = Math.max(end, Number(deletedUntil));
  const started = await updatePerson({
    Key,
    UpdateExpression: 'SET countedHour = :hour, writes = :one, expiresAt = :expiresAt',
    ConditionExpression:
      '(attribute_not_exists(countedHour) OR countedHour < :hour) AND (attribute_not_exists(deletedUntil) OR deletedUntil <= :expiresAt)',
    ExpressionAttributeValues: { ':hour': hour, ':one': 1, ':expiresAt': expiresAt },
  });
  // Count again: a parallel write has started this hour, or a parallel deletion has replaced the item.
  if (started.failure) await countWrite(subject);
}

const updatePerson = (update: Update) => retryOnConflict(() => sendUpdate(update), concurrentChanges);

/** Remembers the deletion for a day, so that a token that is still valid does not recreate the record at once. */
export function deletedPerson({ user }: Deletion): TransactItem[] {
  const end = Math.floor(environment.now() / 1000) + DAY_SECONDS;
  // Uses Put, because functions that delete users have no UpdateItem permission. Put also drops the person's write
  // count.
  return listSubjects(user).map((subject) => ({
    Put: { TableName, Item: { ...personKey(subject), deletedUntil: end, expiresAt: end } },
  }));
}

/** Fails while a deletion is remembered. */
export const notDeletedCheck = (subject: string): TransactItem => ({
  ConditionCheck: {
    TableName,
    Key: personKey(subject),
    ConditionExpression: 'attribute_not_exists(deletedUntil) OR deletedUntil <= :now',
    ExpressionAttributeValues: { ':now': Math.floor(environment.now() / 1000) },
  },
});
