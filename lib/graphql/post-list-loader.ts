import DataLoader from 'dataloader';
import { type ListPosts, listPosts } from '../posts/list.ts';
import type { Post } from '../posts/schema.ts';
import type { ReadBudget } from './read-budget.ts';

export type PostList = ListPosts & { authorId: string };

const MAX_CONCURRENT_LISTS = 25;

/** Reads the posts of an author once per request for the same arguments. */
export function createPostListLoader(budget: ReadBudget) {
  const limitConcurrency = createLimiter(MAX_CONCURRENT_LISTS);
  const readPosts = ({ authorId, ...list }: PostList) =>
    limitConcurrency(() => {
      budget.assertNotExceeded();
      return listPosts(authorId, list, (count) => budget.spendRead(count));
    });
  return new DataLoader<PostList, Post[], string>((lists) => Promise.all(lists.map(readPosts)), {
    batch: false, // One query reads the posts of one author.
    cacheKeyFn: ({ authorId, first, after }) => JSON.stringify([authorId, first, after]),
  });
}

/** Runs at most `max` tasks at a time. */
function createLimiter(max: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await run();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}
