import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { isNotFound, type Post, type PostPage } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { pendingDeletions } from '../deletions.ts';
import { useChange } from '../notices.tsx';
import { queryClient, refresh } from '../query-client.ts';
import { useStore } from '../store.ts';

/** `created`: posts created here after the page was loaded. */
type Page = PostPage & { created: Post[] };

const PAGE_SIZE = 20;

const postsQuery = (authorId: string) =>
  infiniteQueryOptions({
    queryKey: ['posts', authorId],
    queryFn: async ({ pageParam, signal }): Promise<Page> => ({
      ...(await client.posts.page(authorId, { after: pageParam, limit: PAGE_SIZE, signal })),
      created: [],
    }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // The subscription delivers no posts.
    refetchOnWindowFocus: true,
  });

/** Posts created here come last. */
export function usePosts(authorId: string) {
  const deleted = useStore(pendingDeletions);
  return useInfiniteQuery({
    ...postsQuery(authorId),
    select: ({ pages }) => listPostsOnce(pages).filter(({ id }) => !deleted.has(id)),
  });
}

function listPostsOnce(pages: Page[]): Post[] {
  const read = pages.flatMap(({ posts }) => posts);
  const ids = new Set(read.map(({ id }) => id));
  return [...read, ...pages.flatMap(({ created }) => created).filter(({ id }) => !ids.has(id))];
}

export function usePostChanges(authorId: string) {
  const { queryKey } = postsQuery(authorId);
  const change = async (update: (pages: Page[]) => Page[]) => {
    // A pending query would overwrite this change.
    await queryClient.cancelQueries({ queryKey });
    const changed = queryClient.setQueryData(queryKey, (data) => data && { ...data, pages: update(data.pages) });
    if (!changed) await refresh(queryKey);
  };
  const changePosts = (update: (posts: Post[]) => Post[]) =>
    change((pages) => pages.map((page) => ({ ...page, posts: update(page.posts), created: update(page.created) })));
  return {
    add: (post: Post) =>
      change((pages) => pages.map((page, at) => (at === 0 ? { ...page, created: [...page.created, post] } : page))),
    replace: (post: Post) => changePosts((posts) => posts.map((each) => (each.id === post.id ? post : each))),
    remove: (id: string) => changePosts((posts) => posts.filter((post) => post.id !== id)),
  };
}

type PostChange<Variables> = {
  wanted: 'published' | 'renamed';
  send: (variables: Variables) => Promise<Post>;
  onSent: Parameters<typeof useChange<Post, Variables>>[0]['onSent'];
};

/** Removes a post that another client has deleted. */
export function usePostChange<Variables = void>(
  { id, title }: Post,
  authorId: string,
  { wanted, ...change }: PostChange<Variables>,
) {
  const { remove } = usePostChanges(authorId);
  return useChange({
    ...change,
    failure: `“${title}” was not ${wanted}`,
    name: title,
    needsNotice: isNotFound,
    onFailed: (error) => isNotFound(error) && remove(id),
  });
}
