import type * as z from 'zod/mini';
import { TableName } from '../../dynamodb/client.ts';
import { updateItem } from '../../dynamodb/conditional.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { ServiceError, unavailable, valueTaken } from '../../errors.ts';
import { type MergeOption, nameClaims } from '../../users/fields/values.ts';
import { newUser, type User } from '../../users/user.ts';
import { updateUser, writeUser } from '../../users/write.ts';
import { requireCompleteClaims } from '../backfill/complete-lists.ts';
import { requireSubjectField } from './fields.ts';
import type { createMeInput, updateMeInput } from './input.ts';
import { personKey } from './keys.ts';
import { type Person, requireVerifiedEmail } from './person.ts';
import { findMe, type MeConditions, requireMe, storeIssuer, toVersions } from './read.ts';

/** The `by` of people who change their own records. */
export const SELF = 'self';

/**
 * Creates the person's record. If calls for a person run in parallel, one succeeds. Throws CONFLICT with SUBJECT_TAKEN,
 * EMAIL_TAKEN, VALUE_TAKEN, or SUBJECT_DELETED within 24 hours of a deletion. Throws SERVICE_UNAVAILABLE while subject
 * claims may be missing.
 */
export async function createMe(
  person: Person,
  { email: sent, ...input }: z.infer<typeof createMeInput>,
): Promise<User> {
  const field = requireSubjectField();
  const email = requireVerifiedEmail(person, sent);
  if (await findMe(person)) throw hasRecord();
  await requireCompleteClaims(nameClaims(field));
  await countWrite(person);
  await storeIssuer(person.issuer);
  const whole = { ...input, email, [field.name]: person.subject };
  const result = await writeUser({
    plan: () => ({ after: newUser(whole, SELF), by: SELF }),
    guard: { item: notDeleted(person), error: subjectDeleted },
  });
  switch (result.kind) {
    case 'written':
      return result.change.after as User; // A creation always returns the user.
    case 'taken':
      throw result.field === field.name ? hasRecord() : valueTaken(result.field);
    default:
      throw new Error(`createMe wrote no user: ${result.kind}`);
  }
}

const hasRecord = () => new ServiceError('CONFLICT', 'The person already has a record', { reason: 'SUBJECT_TAKEN' });

/**
 * Throws NOT_FOUND, PRECONDITION_FAILED, CONFLICT for a taken value, and FORBIDDEN for an address that the token does
 * not verify.
 */
export async function updateMe(
  person: Person,
  { email: sent, ...input }: z.infer<typeof updateMeInput>,
  { mergesJson, ...conditions }: MeConditions & MergeOption,
): Promise<User> {
  const email = sent === undefined ? {} : { email: requireVerifiedEmail(person, sent) };
  const current = await requireMe(person);
  const { id } = current.user;
  const changes = { ...input, ...email, id, mergesJson, ...toVersions(id, conditions) };
  const changesNothing = Object.values({ ...input, ...email }).every((value) => value === undefined);
  // Failed writes count, because a conflict reveals values of other users.
  if (!changesNothing) await countWrite(person);
  return updateUser(changes, SELF, { current, check: requirePerson(person) });
}

/** Throws SERVICE_UNAVAILABLE if an operator has changed the subject since the read. */
export const requirePerson =
  ({ subject }: Person) =>
  ({ own }: User): void => {
    if (own[requireSubjectField().name] !== subject) throw unavailable();
  };

const MAX_WRITES = 60;
const HOUR_SECONDS = 3600;

/**
 * Counts a write. Throws TOO_MANY_REQUESTS after 60 writes in a clock hour. A retry after a lost answer may count
 * twice.
 */
export async function countWrite(person: Person): Promise<void> {
  const now = environment.now() / 1000;
  const hour = Math.floor(now / HOUR_SECONDS);
  const end = (hour + 1) * HOUR_SECONDS;
  const Key = personKey(person.subject);
  const counted = await updateItem({
    Key,
    UpdateExpression: 'SET writes = writes + :one',
    ConditionExpression: 'countedHour >= :hour AND writes < :max',
    ExpressionAttributeValues: { ':hour': hour, ':one': 1, ':max': MAX_WRITES },
  });
  if (counted.item) return;
  if (Number(counted.failure.item?.countedHour) >= hour)
    throw new ServiceError('TOO_MANY_REQUESTS', `The limit of ${MAX_WRITES} changes an hour is reached`, {
      retryAfterSeconds: Math.ceil(end - now),
    });
  // The item may also remember a deletion: keep it until the later of both times.
  const expiresAt = Math.max(end, Number(counted.failure.item?.deletedUntil ?? 0));
  const started = await updateItem({
    Key,
    UpdateExpression: 'SET countedHour = :hour, writes = :one, expiresAt = :expiresAt',
    ConditionExpression:
      '(attribute_not_exists(countedHour) OR countedHour < :hour) AND (attribute_not_exists(deletedUntil) OR deletedUntil <= :expiresAt)',
    ExpressionAttributeValues: { ':hour': hour, ':one': 1, ':expiresAt': expiresAt },
  });
  // Count again: a parallel write has started this hour, or a parallel deletion has replaced the item.
  if (!started.item) await countWrite(person);
}

const notDeleted = ({ subject }: Person): TransactItem => ({
  ConditionCheck: {
    TableName,
    Key: personKey(subject),
    ConditionExpression: 'attribute_not_exists(deletedUntil) OR deletedUntil <= :now',
    ExpressionAttributeValues: { ':now': Math.floor(environment.now() / 1000) },
  },
});

const subjectDeleted = () =>
  new ServiceError('CONFLICT', 'The record was deleted; it can be created again 24 hours later', {
    reason: 'SUBJECT_DELETED',
  });
