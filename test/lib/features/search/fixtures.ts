import { putItems } from '../../../../lib/dynamodb/batch.ts';
import type { User } from '../../../../lib/users/user.ts';
import { listCreationItems } from '../../../../lib/users/write.ts';

/** Writes users without conditions, so that addresses may repeat. */
export function putUsers(users: User[]): Promise<void> {
  const items = users.flatMap((user) => listCreationItems(user)).flatMap(({ Put }) => Put?.Item ?? []);
  return putItems([...new Map(items.map((item) => [`${item.pk} ${item.sk}`, item])).values()]);
}
