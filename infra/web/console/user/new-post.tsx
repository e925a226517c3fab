import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { createIdempotencyKey } from '../api/idempotency-key.ts';
import { createPost, deletePost } from '../api/posts.ts';
import { useFocusAfter } from '../focus.ts';
import { notify } from '../notices.ts';
import { useErrorNotice } from '../use-error-notice.ts';
import { setTitleDraft, settleTitleDraft, useTitleDraft } from './title-drafts.ts';
import { TitleForm } from './title-form.tsx';
import { usePostChanges } from './use-post-changes.ts';

export function NewPost({ authorId }: { authorId: string }) {
  const { add, remove } = usePostChanges(authorId);
  const title = useTitleDraft(authorId);
  const [idempotencyKey, setIdempotencyKey] = useState(() => createIdempotencyKey());
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (sent: string) => createPost(authorId, sent, idempotencyKey),
    onSuccess: (post, sent) => {
      settleTitleDraft(authorId, sent);
      setIdempotencyKey(createIdempotencyKey());
      notify({
        message: `Created “${post.title}”`,
        tone: 'done',
        subject: post.id,
        authorId,
        undo: () => deletePost(post.id).then(() => remove(post.id)),
      });
      return add(post);
    },
    onError: useErrorNotice(`“${title}” was not created`),
  });
  useFocusAfter(isPending, '.posts-add');
  const change = (typed: string) => {
    setTitleDraft(authorId, typed);
    setIdempotencyKey(createIdempotencyKey());
    if (error) reset();
  };
  return (
    <TitleForm
      label="Title of the new post"
      placeholder="Title of a new post"
      title={title}
      error={error}
      onChange={change}
      onSubmit={() => mutate(title)}
    >
      <Button type="submit" variant="default" className="posts-add" loading={isPending}>
        Add
      </Button>
    </TitleForm>
  );
}
