import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Post, updatePost } from '../api/posts.ts';
import { useRestoredFocus } from '../focus.ts';
import { notify } from '../notices.ts';
import { TitleForm } from './title-form.tsx';

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
  return (
    <TitleForm
      label="Title"
      autoFocus
      title={title}
      error={error}
      onChange={change}
      onSubmit={() => mutate(title)}
      onEscape={onDone}
    >
      <Button type="submit" loading={isPending}>
        Save
      </Button>
      <Button variant="default" onClick={onDone}>
        Cancel
      </Button>
    </TitleForm>
  );
}
