import { TableName } from '../../dynamodb/client.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import type { Deletion } from '../../users/delete.ts';
import { subjectField } from '../../users/fields/values.ts';
import { personKey } from './keys.ts';

const DAY_SECONDS = 24 * 3600;

/**
 * The transaction that deletes a user remembers the person for a day: a token that is still valid must not create the record
 * again at once.
 */
export function deletedPerson({ user }: Deletion): TransactItem[] {
  const subject = subjectField && user.own[subjectField.name];
  if (typeof subject !== 'string') return [];
  const end = Math.floor(environment.now() / 1000) + DAY_SECONDS;
  // It replaces the count of the person's writes: the functions that delete users need no right to update items.
  return [{ Put: { TableName, Item: { ...personKey(subject), deletedUntil: end, expiresAt: end } } }];
}
