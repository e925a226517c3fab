import { putItems } from '../../../../lib/dynamodb/batch.ts';
import { invalidInput } from '../../../../lib/errors.ts';
import { searchCriterion } from '../../../../lib/features/search/search.ts';
import type { Found } from '../../../../lib/users/criteria.ts';
import type { OnRead } from '../../../../lib/users/list.ts';
import type { User } from '../../../../lib/users/user.ts';
import { listCreationItems } from '../../../../lib/users/write.ts';

type Search = { text: string; limit: number; after?: string | undefined };

/** Searches without the rest of a list. */
export async function searchUsers({ text, limit, after }: Search, onRead: OnRead = () => {}): Promise<Found> {
  const { driver } = searchCriterion(text);
  if (!driver) throw new Error('A search has a driver');
  const issue = after === undefined ? undefined : driver.findCursorIssue(after);
  if (issue) throw invalidInput(['after'], issue);
  return driver.find({ after, limit, onRead, order: 'asc', range: {} });
}

/** Writes users without conditions, so that addresses may repeat. */
export function putUsers(users: User[]): Promise<void> {
  const items = users.flatMap((user) => listCreationItems(user)).flatMap(({ Put }) => Put?.Item ?? []);
  return putItems([...new Map(items.map((item) => [`${item.pk} ${item.sk}`, item])).values()]);
}
