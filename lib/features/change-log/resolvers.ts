import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { skipDamaged } from '../../dynamodb/damaged-items.ts';
import { connection } from '../../graphql/schema/connection.ts';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';
import { loadWithRights } from '../../graphql/schema/root-fields.ts';
import { parsePost } from '../../posts/post.ts';
import type { LoggedChange } from './entry.ts';
import { showUserChange } from './versions.ts';

const { subscribeToUsers, subscribeToPosts } = loadWithRights(() => import('./graphql-topics.ts'), {
  subscribeToUsers: ({ id }) => (id == null ? ['list'] : ['read']),
  subscribeToPosts: ['read'],
});

const Subscription = {
  userChanged: {
    subscribe: subscribeToUsers,
    resolve: showUserChange,
  },
  postChanged: {
    subscribe: subscribeToPosts,
    resolve: ({ item, ...change }: LoggedChange) => {
      const [post = null] = item ? skipDamaged([item], parsePost) : [];
      return { ...change, post };
    },
  },
} satisfies Resolvers['Subscription'];

export const changeLog = {
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers: {
    Query: loadWithRights(() => import('./graphql-changes.ts'), { userChanges: ['list'] }),
    UserChangeConnection: connection,
    Subscription,
  },
};
