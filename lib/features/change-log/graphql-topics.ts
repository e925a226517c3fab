import { isUserId, normalizeId } from '../../dynamodb/keys.ts';
import { notFound } from '../../errors.ts';
import type { GraphqlContext } from '../../graphql/context.ts';
import type { SubscriptionPostChangedArgs, SubscriptionUserChangedArgs } from '../../graphql/schema/resolver-types.ts';
import { getUser } from '../../users/read.ts';
import { subscribe } from './subscribe.ts';
import { allUsers, postsTopic, userTopic } from './topics.ts';

type Context = Pick<GraphqlContext, 'signal' | 'budget'>;

/** Items read by opening a stream: the user and the end of the log. */
const ITEMS_READ = 2;

export async function subscribeToUsers(
  _: unknown,
  { id, after }: SubscriptionUserChangedArgs,
  { signal, budget }: Context,
) {
  budget.spendRead(ITEMS_READ);
  if (id == null) return subscribe(allUsers, after, signal);
  const userId = parseUserId(id);
  return subscribe(userTopic(userId), after, signal, () => readVersion(userId));
}

export async function subscribeToPosts(
  _: unknown,
  { authorId, after }: SubscriptionPostChangedArgs,
  { signal, budget }: Context,
) {
  budget.spendRead(ITEMS_READ);
  return subscribe(postsTopic(parseUserId(authorId)), after, signal);
}

function parseUserId(typed: string): string {
  const id = normalizeId(typed);
  if (!isUserId(id)) throw notFound('User');
  return id;
}

/**
 * Reads the user's version at the start: later versions are new to the subscriber. Times cannot decide that, because a
 * write may be in progress at the start. Throws NOT_FOUND for a deleted user.
 */
const readVersion = async (id: string): Promise<number> => (await getUser({ id })).version;
