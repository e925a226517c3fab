import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { findFieldError, findFormError } from '../api/field-errors.ts';
import { createIdempotencyKey } from '../api/idempotency-key.ts';
import { createPost, deletePost } from '../api/posts.ts';
import { notify } from '../notices.ts';
import { useRefreshPosts } from './use-posts.ts';
import { FormError } from './user-fields.tsx';

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
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    mutate(title);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          aria-label="Title of the new post"
          placeholder="Title of a new post"
          flex={1}
          value={title}
          error={findFieldError(error, 'title')}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={isPending}>
          Add
        </Button>
      </Group>
      <FormError message={findFormError(error, ['title'])} />
    </form>
  );
}
