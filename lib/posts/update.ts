import type * as z from 'zod/mini';
import { changePost } from './change.ts';
import type { Post, updatePostInput } from './schema.ts';

/** Without a title it writes nothing. Throws NOT_FOUND for an id that names no post, whatever its form. */
export const updatePost = ({ id, title }: z.infer<typeof updatePostInput>): Promise<Post> =>
  changePost(id, () => (title === undefined ? undefined : { title }));
