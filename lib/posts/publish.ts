import type * as z from 'zod/mini';
import { changePost } from './change.ts';
import type { Post, publishPostInput } from './schema.ts';

/** Leaves a published post as it is. Throws NOT_FOUND for an id that names no post, whatever its form. */
export const publishPost = ({ id, publishedAt }: z.infer<typeof publishPostInput>): Promise<Post> =>
  changePost(id, (post) => (post.publishedAt ? undefined : { publishedAt: (publishedAt ?? new Date()).toISOString() }));
