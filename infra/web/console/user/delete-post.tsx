import { useMutation } from '@tanstack/react-query';
import { isNotFound } from '../api/errors.ts';
import { deletePost, type Post } from '../api/posts.ts';
import { dismissAbout } from '../notices.ts';
import { useErrorNotice } from '../use-error-notice.ts';
import { DeleteDialog } from './delete-dialog.tsx';

type Props = { post: Post; isOpen: boolean; onClose: () => void; onDeleted: (id: string) => Promise<void> };

export function DeletePost({ post: { id, title }, isOpen, onClose, onDeleted }: Props) {
  const tellIfClosed = useErrorNotice(`“${title}” was not deleted`, isOpen);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => deletePost(id),
    onSuccess: () => {
      dismissAbout(id);
      return onDeleted(id);
    },
    onError: (failure) => (isNotFound(failure) ? onDeleted(id) : tellIfClosed(failure)),
  });
  return (
    <DeleteDialog
      name={`“${title}”`}
      consequence="The API cannot undo this."
      error={error?.message}
      isOpen={isOpen}
      isPending={isPending}
      onClose={onClose}
      onDelete={mutate}
    />
  );
}
