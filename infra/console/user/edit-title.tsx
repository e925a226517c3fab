import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { findFieldError, findFormError } from '../api/field-errors.ts';
import { type Post, updatePost } from '../api/posts.ts';
import { useRestoredFocus } from '../focus.ts';
import { notify } from '../notices.ts';
import { FormError } from './user-fields.tsx';

type Props = { post: Post; authorId: string; onDone: () => void; refresh: () => Promise<void> };

export function EditTitle({ post, authorId, onDone, refresh }: Props) {
  const [title, setTitle] = useState(post.title);
  useRestoredFocus(`[data-post="${post.id}"] button`);
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (sent: string) => updatePost(post.id, sent),
    onSuccess: async (_, sent) => {
      // What was typed meanwhile stays: `title` is that of the latest rendering.
      if (title === sent) onDone();
      await refresh();
      // Posts have no version in the API, so this may overwrite a later change of the title.
      notify({
        message: `Saved “${sent}”`,
        tone: 'done',
        subject: post.id,
        authorId,
        undo: () => updatePost(post.id, post.title).then(refresh),
      });
    },
  });
  const change = (typed: string) => {
    setTitle(typed);
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
          aria-label="Title"
          flex={1}
          autoFocus
          value={title}
          error={findFieldError(error, 'title')}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          onKeyDown={({ key }) => {
            if (key === 'Escape') onDone();
          }}
        />
        <Button type="submit" loading={isPending}>
          Save
        </Button>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
      </Group>
      <FormError message={findFormError(error, ['title'])} />
    </form>
  );
}
