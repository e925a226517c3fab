import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { getTitle, type Post, updatePost } from '../api/posts.ts';
import { useRestoredFocus } from '../focus.ts';
import { notify } from '../notices.ts';
import { TitleForm } from './title-form.tsx';
import { usePostChanges } from './use-post-changes.ts';
import { usePostError } from './use-post-error.ts';

type Props = { post: Post; authorId: string; onDone: () => void };

export function EditTitle({ post, authorId, onDone }: Props) {
  const { replace } = usePostChanges(authorId);
  const [title, setTitle] = useState(post.title);
  useRestoredFocus(`[data-post="${post.id}"] button`);
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (sent: string) => updatePost(post.id, sent),
    onSuccess: async (saved, sent) => {
      // What was typed meanwhile stays: `title` is that of the latest rendering.
      if (title === sent) onDone();
      await replace(saved);
      notify({
        message: `Saved “${sent}”`,
        tone: 'done',
        subject: post.id,
        authorId,
        undo: async () => {
          // The API has no condition for posts.
          if ((await getTitle(post.id)) !== saved.title) throw new Error('It was changed again elsewhere');
          await replace(await updatePost(post.id, post.title));
        },
      });
    },
    onError: usePostError(post, authorId, 'renamed'),
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
