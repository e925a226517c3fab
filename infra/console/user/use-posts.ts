import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { listPosts } from '../api/posts.ts';

export const postsQuery = (authorId: string) =>
  infiniteQueryOptions({
    queryKey: ['posts', authorId],
    queryFn: ({ pageParam, signal }) => listPosts(authorId, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ posts, hasMore }) => (hasMore ? posts.at(-1)?.id : undefined),
  });

/** The posts of a user, oldest first: `showLast` shows those up to one that was just created. */
export function usePosts(authorId: string) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    postsQuery(authorId),
  );
  const showLast = async () => {
    await refetch();
    let result = await fetchNextPage();
    while (result.hasNextPage && !result.isError) result = await fetchNextPage();
  };
  const posts = data?.pages.flatMap((page) => page.posts);
  return { posts, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, showLast };
}

export function useRefreshPosts(authorId: string): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['posts', authorId] });
}
