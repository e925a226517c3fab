import { follow, type LoggedChange } from '../changes/follow.ts';
import { allUsers, postsTopic, userTopic } from '../changes/topics.ts';
import { notFound } from '../errors.ts';
import { isUserId } from '../keys.ts';
import { parsePost } from '../posts/schema.ts';
import { parseUser } from '../users/schema.ts';
import type { Context } from './context.ts';

type Arguments<Subject> = Subject & { after?: string | null };

/** Each follows a log of changes, from now on or behind a cursor. */
export const subscriptions = {
  userChanged: {
    subscribe: (_: unknown, { id, after }: Arguments<{ id?: string | null }>, { over }: Context) =>
      follow(id == null ? allUsers : userTopic(known(id)), after, over),
    resolve: ({ item, ...change }: LoggedChange) => ({ ...change, user: item && parseUser(item) }),
  },
  postChanged: {
    subscribe: (_: unknown, { authorId, after }: Arguments<{ authorId: string }>, { over }: Context) =>
      follow(postsTopic(known(authorId)), after, over),
    resolve: ({ item, ...change }: LoggedChange) => ({ ...change, post: item && parsePost(item) }),
  },
};

/** Nothing will ever change about an id that no user can have. */
function known(id: string): string {
  if (!isUserId(id)) throw notFound('User');
  return id;
}
