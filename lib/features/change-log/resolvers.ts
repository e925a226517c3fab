import { readFileSync } from 'node:fs';
import { isUserId } from '../../dynamodb/keys.ts';
import { notFound } from '../../errors.ts';
import { requireRight } from '../../graphql/authenticate.ts';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';
import { idInput } from '../../input/uuidv7.ts';
import { parsePost } from '../../posts/schema.ts';
import { getUser } from '../../users/get.ts';
import { parseUser } from '../../users/schema.ts';
import { type LoggedChange, subscribe } from './subscribe.ts';
import { allUsers, postsTopic, userTopic } from './topics.ts';

/** Each follows a topic of the change log, from now on or after a cursor. */
const Subscription = {
  userChanged: {
    async subscribe(_, { id, after }, { access, signal }) {
      if (id == null) {
        requireRight(access, 'list');
        return subscribe(allUsers, after, signal);
      }
      const userId = parseUserId(id);
      return subscribe(userTopic(userId), after, signal, () => createIsNew(userId));
    },
    resolve: ({ item, ...change }: LoggedChange) => ({ ...change, user: item && parseUser(item) }),
  },
  postChanged: {
    subscribe: (_, { authorId, after }, { signal }) => subscribe(postsTopic(parseUserId(authorId)), after, signal),
    resolve: ({ item, ...change }: LoggedChange) => ({ ...change, post: item && parsePost(item) }),
  },
} satisfies Resolvers['Subscription'];

export const subscriptions = {
  typeDefs: readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'),
  resolvers: { Subscription },
};

/** An id that no user can have will never have changes. */
function parseUserId(typed: string): string {
  const id = idInput.parse(typed);
  if (!isUserId(id)) throw notFound('User');
  return id;
}

/**
 * Compares versions, not times: a write that is in progress when the subscription starts is new. Throws NOT_FOUND: ids are
 * never used again, so a user who is deleted will have no new changes.
 */
async function createIsNew(id: string): Promise<(change: Pick<LoggedChange, 'item'>) => boolean> {
  const { version } = await getUser({ id });
  return ({ item }) => item === null || parseUser(item).version > version;
}
