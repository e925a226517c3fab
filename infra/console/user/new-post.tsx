import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { createIdempotencyKey } from '../api/idempotency-key.ts';
import { createPost, deletePost } from '../api/posts.ts';
import { notify } from '../notices.ts';
import { TitleForm } from './title-form.tsx';
import { useRefreshPosts } from './use-posts.ts';

type Props = { authorId: string; onCreated: () => Promise<void> };

export function NewPost({ authorId, onCreated }: Props) {
  const refresh = useRefreshPosts(authorId);
  const [title, setTitle] = useState('');
  const [idempotencyKey, setIdempotencyKey] = useState(() => createIdempotencyKey());
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (sent: string) => createPost(authorId, sent, idempotencyKey),
    onSuccess: (post, sent) => {
      // What was typed meanwhile stays.
      setTitle((typed) => (typed === sent ? '' : typed));
      setIdempotencyKey(createIdempotencyKey());
      notify({
        message: `Created “${post.title}”`,
        tone: 'done',
        subject: post.id,
        authorId,
        undo: async () => {
          await deletePost(post.id);
          await refresh();
        },
      });
      return onCreated();
    },
  });
  const change = (typed: string) => {
    setTitle(typed);
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
      <Button type="submit" variant="default" loading={isPending}>
        Add
      </Button>
    </TitleForm>
  );
}
