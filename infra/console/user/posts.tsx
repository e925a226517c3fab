import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { findFieldError, findFormError } from '../api/field-errors.ts';
import { createIdempotencyKey } from '../api/idempotency-key.ts';
import { createPost, deletePost } from '../api/posts.ts';
import type { UserWithPosts } from '../api/user-details.ts';
import { notify } from '../notices.ts';
import { PostRow } from './post-row.tsx';
import { useRefreshPosts } from './use-refresh-posts.ts';
import { FormError } from './user-fields.tsx';

type Props = { user: UserWithPosts; hasMore: boolean; onShowMore: () => void };

export const Posts = ({ user, hasMore, onShowMore }: Props) => (
  <section aria-label="Posts">
    <Stack gap="sm">
      <Title order={3} size="h5">
        Posts
      </Title>
      {user.posts.length === 0 ? (
        <Text c="dimmed" size="sm">
          No posts yet.
        </Text>
      ) : (
        <ul className="posts">
          {user.posts.map((post) => (
            <PostRow key={post.id} post={post} authorId={user.id} />
          ))}
        </ul>
      )}
      {hasMore && (
        <Button variant="subtle" size="compact-sm" onClick={onShowMore}>
          Show more
        </Button>
      )}
      <NewPost authorId={user.id} />
    </Stack>
  </section>
);

function NewPost({ authorId }: { authorId: string }) {
  const refresh = useRefreshPosts(authorId);
  const [title, setTitle] = useState('');
  const [idempotencyKey, setIdempotencyKey] = useState(() => createIdempotencyKey());
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => createPost(authorId, title, idempotencyKey),
    onSuccess: async (post) => {
      setTitle('');
      setIdempotencyKey(createIdempotencyKey());
      await refresh();
      notify({
        message: `Created “${post.title}”`,
        tone: 'done',
        undo: async () => {
          await deletePost(post.id);
          await refresh();
        },
      });
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    mutate();
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
          onChange={({ currentTarget }) => {
            setTitle(currentTarget.value);
            setIdempotencyKey(createIdempotencyKey());
            reset();
          }}
        />
        <Button type="submit" variant="default" loading={isPending}>
          Add
        </Button>
      </Group>
      <FormError message={findFormError(error, ['title'])} />
    </form>
  );
}
