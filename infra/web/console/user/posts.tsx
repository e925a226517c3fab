import { ActionIcon, Badge, Button, Menu, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Post } from '../../../../lib/client/client.ts';
import { client, lastingClient } from '../api/client.ts';
import { useCanWrite } from '../auth/token.ts';
import { deleteLater } from '../deletions.ts';
import { useFocusAfter, useRestoredFocus } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { DotsIcon } from '../icons.tsx';
import { LoadError } from '../load-error.tsx';
import { FormError } from './fields.tsx';
import { EditTitle, NewPost } from './post-title.tsx';
import { usePostChanges, usePostError, usePosts } from './use-posts.ts';

export function Posts({ authorId }: { authorId: string }) {
  const canWrite = useCanWrite();
  const { posts, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = usePosts(authorId);
  useFocusAfter(isFetchingNextPage, hasNextPage ? '.posts-more' : '.posts-title');
  return (
    <section aria-label="Posts">
      <Stack gap="sm">
        <Title order={2} size="h5" tabIndex={-1} className="posts-title">
          Posts
        </Title>
        {error && <LoadError title="The posts cannot be read" error={error} onRetry={refetch} />}
        {posts === undefined && !error && <Skeleton height={40} role="status" aria-label="Loading the posts" />}
        {posts?.length === 0 && (
          <Text c="dimmed" size="sm">
            No posts yet.
          </Text>
        )}
        {posts !== undefined && posts.length > 0 && (
          <ul className="posts">
            {posts.map((post) => (
              <PostRow key={post.id} post={post} authorId={authorId} />
            ))}
          </ul>
        )}
        {hasNextPage && (
          <Button
            variant="subtle"
            size="compact-sm"
            className="posts-more"
            loading={isFetchingNextPage}
            onClick={() => fetchNextPage()}
          >
            Show more
          </Button>
        )}
        {canWrite && <NewPost authorId={authorId} />}
      </Stack>
    </section>
  );
}

type Props = { post: Post; authorId: string };

function PostRow({ post, authorId }: Props) {
  const posts = usePostChanges(authorId);
  const canWrite = useCanWrite();
  const [isEditing, setEditing] = useState(false);
  const { mutate: publish, error } = useMutation({
    mutationFn: () => client.posts.publish(post.id),
    onSuccess: posts.replace,
    onError: usePostError(post, authorId, 'published'),
  });
  const startDeletion = () =>
    deleteLater({
      id: post.id,
      name: `“${post.title}”`,
      authorId,
      send: () => lastingClient.posts.delete(post.id),
      onDeleted: () => posts.remove(post.id),
    });
  useRestoredFocus('.posts-title');
  if (isEditing)
    return (
      <li>
        <EditTitle post={post} authorId={authorId} onDone={() => setEditing(false)} />
      </li>
    );
  return (
    <li data-post={post.id}>
      <div className="post">
        <bdi className="post-title">{post.title}</bdi>
        {post.publishedAt ? (
          <Badge variant="light" color="teal" title={formatTime(new Date(post.publishedAt))}>
            Published {formatAge(new Date(post.publishedAt))}
          </Badge>
        ) : (
          <Badge variant="default">Draft</Badge>
        )}
        {canWrite && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${post.title}`}>
                <DotsIcon />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setEditing(true)}>Edit title</Menu.Item>
              {!post.publishedAt && (
                <Menu.Item onClick={() => publish()}>
                  Publish
                  <Text size="xs" c="dimmed">
                    Cannot be undone
                  </Text>
                </Menu.Item>
              )}
              <Menu.Item c="var(--mantine-color-error)" onClick={() => startDeletion()}>
                Delete
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      <FormError message={error?.message} />
    </li>
  );
}
