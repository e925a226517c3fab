import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { skipDamaged } from '../../dynamodb/damaged-items.ts';
import { connection } from '../../graphql/schema/connection.ts';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import type { Resolvers, SubscriptionUserChangedArgs } from '../../graphql/schema/resolver-types.ts';
import type { RootRights } from '../../graphql/schema/rights.ts';
import { parsePost } from '../../posts/post.ts';
import type { LoggedChange } from './entry.ts';
import { showUserChange } from './versions.ts';

const { subscribeToUsers, subscribeToPosts } = loadOnFirstUse(
  () => import('./graphql-topics.ts'),
  'subscribeToUsers',
  'subscribeToPosts',
);

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
    Query: loadOnFirstUse(() => import('./graphql-changes.ts'), 'userChanges'),
    UserChangeConnection: connection,
    Subscription,
  },
  rights: {
    Query: { userChanges: ['list'] },
    Subscription: {
      userChanged: ({ id }: SubscriptionUserChangedArgs) => (id == null ? ['list'] : ['read']),
      postChanged: ['read'],
    },
  } satisfies RootRights,
};
