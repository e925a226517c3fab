import { useQueryClient } from '@tanstack/react-query';
import type { Post } from '../api/posts.ts';
import { type Page, postsQuery } from './use-posts.ts';

/** Shows what the API answered to a change of a post, without reading the posts again. */
export function usePostChanges(authorId: string) {
  const queryClient = useQueryClient();
  const { queryKey } = postsQuery(authorId);
  const change = async (update: (pages: Page[]) => Page[]) => {
    // They would bring back what they read before the change.
    await queryClient.cancelQueries({ queryKey });
    const changed = queryClient.setQueryData(queryKey, (data) => data && { ...data, pages: update(data.pages) });
    if (!changed) await queryClient.invalidateQueries({ queryKey });
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
