import { ActionIcon, Badge, Button, Flex, Group, Menu, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Post } from '../../../../lib/client/client.ts';
import { client, lastingClient } from '../api/client.ts';
import { useCanWrite } from '../auth/token.ts';
import classes from '../bordered-list.module.css';
import { deleteLater } from '../deletions.ts';
import { type Target, useFocusAfter, useRestoredFocus } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { LoadError } from '../load-error.tsx';
import { dropTitleEdit, useTitleEdit, useTitleEdits } from './drafts.ts';
import { FormError } from './fields.tsx';
import { KeptTitles } from './kept-titles.tsx';
import { EditTitle, NewPost } from './post-title.tsx';
import { usePostChanges, usePostError, usePosts } from './use-posts.ts';

export function Posts({ authorId }: { authorId: string }) {
  const canWrite = useCanWrite();
  const { posts, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = usePosts(authorId);
  const title = useRef<HTMLHeadingElement>(null);
  const more = useRef<HTMLButtonElement>(null);
  useFocusAfter(isFetchingNextPage, more, title);
  // A title that is kept is shown with its post, which may be on any page.
  const isUnseen = useTitleEdits(authorId).some(({ id }) => !posts?.some((post) => post.id === id));
  const isSought = isUnseen && hasNextPage && !isFetchingNextPage && !error;
  useEffect(() => {
    if (isSought) fetchNextPage();
  }, [isSought, fetchNextPage]);
  return (
    <section aria-label="Posts">
      <Stack gap="sm">
        <Title order={2} size="h5" tabIndex={-1} ref={title}>
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
          <ul className={classes.list}>
            {posts.map((post) => (
              <PostRow key={post.id} post={post} authorId={authorId} title={title} />
            ))}
          </ul>
        )}
        {hasNextPage && (
          <Button
            variant="subtle"
            size="compact-sm"
            ref={more}
            loading={isFetchingNextPage}
            onClick={() => fetchNextPage()}
          >
            Show more
          </Button>
        )}
        {posts !== undefined && !hasNextPage && <KeptTitles authorId={authorId} posts={posts} />}
        {canWrite && <NewPost authorId={authorId} />}
      </Stack>
    </section>
  );
}

type Props = { post: Post; authorId: string; title: Target };

function PostRow({ post, authorId, title }: Props) {
  const menu = useRef<HTMLButtonElement>(null);
  const posts = usePostChanges(authorId);
  const canWrite = useCanWrite();
  const edit = useTitleEdit(post.id);
  // It may have been saved although the answer was lost, or by others.
  const isSaved = edit?.title === post.title;
  const [isEditing, setEditing] = useState(edit !== undefined && !isSaved);
  useEffect(() => {
    if (isSaved) dropTitleEdit(post.id);
  }, [isSaved, post.id]);
  const { mutate: publish, error } = useMutation({
    mutationFn: () => client.posts.publish(post.id),
    onSuccess: posts.replace,
    onError: usePostError(post, authorId, 'published'),
  });
  const startDeletion = () =>
    deleteLater({
      ids: [post.id],
      name: `“${post.title}”`,
      authorId,
      send: () => lastingClient.posts.delete(post.id),
      onDeleted: () => posts.remove(post.id),
    });
  useRestoredFocus(title);
  if (isEditing)
    return (
      <li>
        <EditTitle post={post} authorId={authorId} returnTo={menu} onDone={() => setEditing(false)} />
      </li>
    );
  return (
    <li>
      <Group gap="xs" wrap="nowrap">
        {/* A title has no room beside the time of its publication on a phone. */}
        <Flex flex={1} direction={{ base: 'column', xs: 'row' }} gap={4} justify="space-between">
          <bdi data-testid="post">{post.title}</bdi>
          {post.publishedAt ? (
            <Badge variant="light" color="teal" flex="none" title={formatTime(new Date(post.publishedAt))}>
              Published {formatAge(new Date(post.publishedAt))}
            </Badge>
          ) : (
            <Badge variant="default" flex="none">
              Draft
            </Badge>
          )}
        </Flex>
        {canWrite && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon ref={menu} variant="subtle" color="gray" aria-label={`Actions for ${post.title}`}>
                <IconDots size={18} />
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
      </Group>
      <FormError message={error?.message} />
    </li>
  );
}
