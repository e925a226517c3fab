import DataLoader from 'dataloader';
import { getItems } from '../dynamodb/batch.ts';
import { formatKey, type Item, isUserId, type Key, postKey, userKey } from '../dynamodb/keys.ts';
import { createLimiter } from '../parallel.ts';
import { type Post, parsePost } from '../posts/post.ts';
import { type ListPosts, listPosts } from '../posts/read.ts';
import { sizes } from '../sizes.ts';
import { parseUser, type User } from '../users/user.ts';
import type { Access } from './authenticate.ts';
import { Budget } from './budget.ts';

const NEVER_ABORTED = new AbortController().signal;

export type GraphqlContext = {
  access: Access;
  signal: AbortSignal;
  budget: Budget;
  users: DataLoader<string, User | undefined>;
  posts: DataLoader<string, Post | undefined>;
  postLists: DataLoader<PostList, Post[], string>;
  userCount?: Promise<number>;
};

export function createGraphqlContext(access: Access, signal = NEVER_ABORTED): GraphqlContext {
  const budget = new Budget();
  const toUserKey = (id: string) => (isUserId(id) ? userKey(id) : undefined);
  return {
    access,
    signal,
    budget,
    users: createEntityLoader({ toKey: toUserKey, parse: parseUser }, budget),
    posts: createEntityLoader({ toKey: postKey, parse: parsePost }, budget),
    postLists: createPostListLoader(budget),
  };
}

type EntityReader<Entity> = {
  toKey(id: string): Key | undefined;
  parse(item: Item): Entity;
};

const createEntityLoader = <Entity>(reader: EntityReader<Entity>, budget: Budget) =>
  new DataLoader<string, Entity | undefined>(
    async (ids) => {
      budget.spendRead(ids.length);
      return readBatch(ids, reader);
    },
    { maxBatchSize: sizes.batchGet },
  );

async function readBatch<Entity>(
  ids: readonly string[],
  { toKey, parse }: EntityReader<Entity>,
): Promise<(Entity | Error | undefined)[]> {
  const keys = ids.map(toKey);
  const items = await getItems(
    keys.filter((key) => key !== undefined),
    { ConsistentRead: true },
  );
  const found = new Map(items.map((item) => [formatKey(item), item]));
  return keys.map((key) => {
    const item = key && found.get(formatKey(key));
    try {
      return item && parse(item);
    } catch (error) {
      return error as Error;
    }
  });
}

type PostList = ListPosts & { authorId: string };

const MAX_CONCURRENT_LISTS = 25;

function createPostListLoader(budget: Budget) {
  const limitConcurrency = createLimiter(MAX_CONCURRENT_LISTS);
  const readPosts = ({ authorId, ...list }: PostList) =>
    limitConcurrency(() => {
      budget.assertNotExceeded();
      return listPosts(authorId, list, (count) => budget.spendRead(count));
    });
  return new DataLoader<PostList, Post[], string>((lists) => Promise.all(lists.map(readPosts)), {
    batch: false, // Each DynamoDB query reads the posts of one author.
    cacheKeyFn: ({ authorId, first, after }) => JSON.stringify([authorId, first, after]),
  });
}
