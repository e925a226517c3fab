import type DataLoader from 'dataloader';
import { isUserId, postKey, userKey } from '../dynamodb/keys.ts';
import { findPost } from '../posts/get.ts';
import { type Post, parsePost } from '../posts/schema.ts';
import { findUser } from '../users/get.ts';
import { parseUser, type User } from '../users/schema.ts';
import type { Access } from './authenticate.ts';
import { createEntityLoader } from './entity-loader.ts';
import { createPostListLoader, type PostList } from './post-list-loader.ts';
import { ReadBudget } from './read-budget.ts';

const NEVER_ABORTED = new AbortController().signal;

/** One per request, and one per event of a subscription. */
export type GraphqlContext = {
  access: Access;
  /** Aborted when the client has left or the stream's time is over. */
  signal: AbortSignal;
  budget: ReadBudget;
  users: DataLoader<string, User | undefined>;
  posts: DataLoader<string, Post | undefined>;
  postLists: DataLoader<PostList, Post[], string>;
};

export function createGraphqlContext(access: Access, signal = NEVER_ABORTED): GraphqlContext {
  const budget = new ReadBudget();
  const toUserKey = (id: string) => (isUserId(id) ? userKey(id) : undefined);
  return {
    access,
    signal,
    budget,
    users: createEntityLoader({ find: findUser, toKey: toUserKey, parse: parseUser }, budget),
    posts: createEntityLoader({ find: findPost, toKey: postKey, parse: parsePost }, budget),
    postLists: createPostListLoader(budget),
  };
}
