import { putItems } from '../../../../lib/dynamodb/batch.ts';
import { searchCriterion } from '../../../../lib/features/search/search.ts';
import type { OnRead } from '../../../../lib/users/directory.ts';
import { listUsers } from '../../../../lib/users/list.ts';
import type { User } from '../../../../lib/users/user.ts';
import { listCreationItems } from '../../../../lib/users/write.ts';

type Found = { users: { user: User; cursor: string }[]; next: string | undefined };

type Search = { text: string; limit: number; after?: string | undefined };

export async function searchUsers({ text, limit, after }: Search, onRead: OnRead = () => {}): Promise<Found> {
  const { users, cursors = [], next } = await listUsers({ criteria: [searchCriterion(text)], limit, after }, onRead);
  return { users: users.map((user, at) => ({ user, cursor: cursors[at] ?? '' })), next };
}

/** Writes users without conditions, so that addresses may repeat. */
export function putUsers(users: User[]): Promise<void> {
  const items = users.flatMap((user) => listCreationItems(user)).flatMap(({ Put }) => Put?.Item ?? []);
  return putItems([...new Map(items.map((item) => [`${item.pk} ${item.sk}`, item])).values()]);
}
