import type DataLoader from 'dataloader';
import { isUserId, postKey, userKey } from '../dynamodb/keys.ts';
import { findPost } from '../posts/get.ts';
import { type Post, parsePost } from '../posts/schema.ts';
import { findUser } from '../users/get.ts';
import { parseUser, type User } from '../users/schema.ts';
import type { Access } from './authenticate.ts';
import { createLoader } from './loader.ts';

const NEVER = new AbortController().signal;

/** What one request carries. */
export type Context = {
  access: Access;
  /** Aborted when nobody waits for the answer any more. */
  over: AbortSignal;
  users: DataLoader<string, User | undefined>;
  posts: DataLoader<string, Post | undefined>;
};

export const createGraphqlContext = (access: Access, over = NEVER): Context => ({
  access,
  over,
  users: createLoader({ find: findUser, keyOf: (id) => (isUserId(id) ? userKey(id) : undefined), parse: parseUser }),
  posts: createLoader({ find: findPost, keyOf: postKey, parse: parsePost }),
});
