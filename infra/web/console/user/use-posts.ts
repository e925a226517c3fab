import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { listPosts, type Post, type PostPage } from '../api/posts.ts';

/** With the posts that were created since it was read. */
export type Page = PostPage & { created: Post[] };

export const postsQuery = (authorId: string) =>
  infiniteQueryOptions({
    queryKey: ['posts', authorId],
    queryFn: async ({ pageParam, signal }): Promise<Page> => ({
      ...(await listPosts(authorId, pageParam, signal)),
      created: [],
    }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // The subscription tells of users only.
    refetchOnWindowFocus: true,
  });

/** The posts of a user, oldest first. Those that were created meanwhile are last, also while others are not yet read. */
export function usePosts(authorId: string) {
  const { data, ...query } = useInfiniteQuery(postsQuery(authorId));
  return { ...query, posts: data && listPostsOnce(data.pages) };
}

function listPostsOnce(pages: Page[]): Post[] {
  const read = pages.flatMap(({ posts }) => posts);
  const ids = new Set(read.map(({ id }) => id));
  return [...read, ...pages.flatMap(({ created }) => created).filter(({ id }) => !ids.has(id))];
}
