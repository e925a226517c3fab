import { TableName } from '../../dynamodb/client.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import type { Deletion } from '../../users/delete.ts';
import { subjectField } from '../../users/fields/values.ts';
import { personKey } from './keys.ts';

const DAY_SECONDS = 24 * 3600;

/** Remembers the deletion for a day, so that a token that is still valid does not recreate the record at once. */
export function deletedPerson({ user }: Deletion): TransactItem[] {
  const subject = subjectField && user.own[subjectField.name];
  if (typeof subject !== 'string') return [];
  const end = Math.floor(environment.now() / 1000) + DAY_SECONDS;
  // Uses Put, because functions that delete users have no UpdateItem permission. Put also drops the person's write
  // count.
  return [{ Put: { TableName, Item: { ...personKey(subject), deletedUntil: end, expiresAt: end } } }];
}
