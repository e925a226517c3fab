import { follow, type LoggedChange } from '../../change-log/follow.ts';
import { allUsers, postsTopic, userTopic } from '../../change-log/topics.ts';
import { notFound } from '../../errors.ts';
import { isUserId } from '../../dynamodb/keys.ts';
import { parsePost } from '../../posts/schema.ts';
import { findUser } from '../../users/get.ts';
import { parseUser } from '../../users/schema.ts';
import type { Context } from '../context.ts';

type Arguments<Subject> = Subject & { after?: string | null };

/** Each follows a log of changes, from now on or behind a cursor. */
export const subscriptions = {
  userChanged: {
    async subscribe(_: unknown, { id, after }: Arguments<{ id?: string | null }>, { over }: Context) {
      if (id == null) return follow(allUsers, after, over);
      return follow(userTopic(known(id)), after, over, after ? undefined : await newerThanNow(id));
    },
    resolve: ({ item, ...change }: LoggedChange, _: unknown, context: Context) =>
      readAnew(context, { ...change, user: item && parseUser(item) }),
  },
  postChanged: {
    subscribe: (_: unknown, { authorId, after }: Arguments<{ authorId: string }>, { over }: Context) =>
      follow(postsTopic(known(authorId)), after, over),
    resolve: ({ item, ...change }: LoggedChange, _: unknown, context: Context) =>
      readAnew(context, { ...change, post: item && parsePost(item) }),
  },
};

/** Nothing will ever change about an id that no user can have. */
function known(id: string): string {
  if (!isUserId(id)) throw notFound('User');
  return id;
}

/** By its version, which each write raises: a write that is on its way while the subscription begins counts as new. */
async function newerThanNow(id: string): Promise<(change: Pick<LoggedChange, 'item' | 'at'>) => boolean> {
  const began = Date.now();
  const user = await findUser(id);
  return ({ item, at }) =>
    item ? parseUser(item).version > (user?.version ?? 0) : user !== undefined || Date.parse(at) >= began;
}

/** A stream outlives what its first events have read. */
function readAnew<Event>({ users, posts }: Context, event: Event): Event {
  users.clearAll();
  posts.clearAll();
  return event;
}
