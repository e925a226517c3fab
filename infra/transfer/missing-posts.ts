import type { PostInput } from './rows.ts';

type Post = Pick<PostInput, 'title' | 'publishedAt'>;

/** Compares title and publication time, so a row that is imported again creates no second post. */
export function findMissingPosts(posts: readonly PostInput[], existing: readonly Post[]): PostInput[] {
  const left = existing.map(describePost);
  return posts.filter((post) => {
    const at = left.indexOf(describePost(post));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

const describePost = ({ title, publishedAt }: Post): string => JSON.stringify([title, publishedAt ?? null]);
