import { isNotFound } from '../api/errors.ts';
import type { Post } from '../api/posts.ts';
import { notify } from '../notices.ts';
import { useErrorNotice } from '../use-error-notice.ts';
import { usePostChanges } from './use-post-changes.ts';

/** Tells of a change that failed where nothing else does. A post that others have deleted is shown no more. */
export function usePostError({ id, title }: Post, authorId: string, wanted: 'published' | 'renamed') {
  const { remove } = usePostChanges(authorId);
  const failure = `“${title}” was not ${wanted}`;
  const tellIfClosed = useErrorNotice(failure);
  return (error: Error) => {
    if (!isNotFound(error)) return tellIfClosed(error);
    notify({ message: `${failure}: ${error.message}`, tone: 'error' });
    return remove(id);
  };
}
