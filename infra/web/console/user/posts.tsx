import { ActionIcon, Badge, Flex, Group, Menu, Text } from '@mantine/core';
import { IconDots, IconPencil } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Post } from '../../../../lib/client/client.ts';
import { client, lastingClient } from '../api/client.ts';
import { useCanWrite } from '../auth/token.ts';
import { deleteLater } from '../deletions.ts';
import { type Target, useRestoredFocus } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { titleDrafts, useTitleEdits } from './drafts.ts';
import { FormError, SlowHint } from './form-messages.tsx';
import { KeptTitles } from './kept-titles.tsx';
import { PanelItem, PanelList, PanelSection } from './panel-list.tsx';
import { EditTitle, NewPost } from './post-title.tsx';
import { usePostChange, usePostChanges, usePosts } from './use-posts.ts';

export function Posts({ authorId }: { authorId: string }) {
  const canWrite = useCanWrite();
  const query = usePosts(authorId);
  const { data: posts, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const title = useRef<HTMLHeadingElement>(null);
  // Loads more pages until each unsaved title has its post.
  const isUnseen = useTitleEdits(authorId).some(({ base }) => !posts?.some(({ id }) => id === base.id));
  const isSought = isUnseen && hasNextPage && !isFetchingNextPage && !error;
  useEffect(() => {
    if (isSought) fetchNextPage();
  }, [isSought, fetchNextPage]);
  return (
    <PanelSection name="Posts" title={title}>
      <PanelList name="posts" title={title} query={query} moreLabel="Show more">
        {posts?.map((post) => (
          <PostRow key={post.id} post={post} authorId={authorId} title={title} />
        ))}
      </PanelList>
      {posts?.length === 0 && (
        <Text c="dimmed" size="sm">
          No posts yet.
        </Text>
      )}
      {posts && !hasNextPage && <KeptTitles authorId={authorId} posts={posts} />}
      {canWrite && <NewPost authorId={authorId} />}
    </PanelSection>
  );
}

type Props = { post: Post; authorId: string; title: Target };

function describeState(published: Date | undefined, isScheduled: boolean): string {
  if (!published) return 'Draft';
  return isScheduled ? `Scheduled for ${formatTime(published)}` : `Published ${formatAge(published)}`;
}

function PostRow({ post, authorId, title }: Props) {
  const editButton = useRef<HTMLButtonElement>(null);
  const canWrite = useCanWrite();
  const edit = titleDrafts.useDraft(post.id);
  // True if the save's response was lost, or another client saved the same.
  const isSaved = edit?.input.title === post.title;
  const [isEditing, setEditing] = useState(edit !== undefined && !isSaved);
  useEffect(() => {
    if (isSaved) titleDrafts.drop(post.id);
  }, [isSaved, post.id]);
  const { replace, remove } = usePostChanges(authorId);
  const {
    mutate: publish,
    isPending,
    error,
  } = usePostChange(post, authorId, {
    wanted: 'published',
    send: () => client.posts.publish(post.id),
    onSent: async (sent) => void (await replace(sent)),
  });
  const published = post.publishedAt ? new Date(post.publishedAt) : undefined;
  const isScheduled = published !== undefined && published.getTime() > Date.now();
  const startDeletion = () =>
    deleteLater({
      ids: [post.id],
      name: `“${post.title}”`,
      authorId,
      send: () => lastingClient.posts.delete(post.id),
      onDeleted: () => remove(post.id),
    });
  useRestoredFocus(title);
  if (isEditing)
    return (
      <PanelItem>
        <EditTitle post={post} authorId={authorId} returnTo={editButton} onDone={() => setEditing(false)} />
      </PanelItem>
    );
  return (
    <PanelItem>
      <Group gap="xs" wrap="nowrap">
        <Flex flex={1} direction={{ base: 'column', xs: 'row' }} gap={4} justify="space-between">
          <bdi data-testid="post">{post.title}</bdi>
          <Badge
            variant={published ? 'light' : 'default'}
            color="teal"
            flex="none"
            title={published ? formatTime(published) : undefined}
          >
            {describeState(published, isScheduled)}
          </Badge>
        </Flex>
        {canWrite && (
          <ActionIcon ref={editButton} aria-label={`Edit ${post.title}`} onClick={() => setEditing(true)}>
            <IconPencil size={18} />
          </ActionIcon>
        )}
        {canWrite && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon aria-label={`Actions for ${post.title}`}>
                <IconDots size={18} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {(!published || isScheduled) && (
                <Menu.Item onClick={() => publish()}>
                  {isScheduled ? 'Publish now' : 'Publish'}
                  <Text size="xs" c="inherit">
                    Cannot be undone
                  </Text>
                </Menu.Item>
              )}
              <Menu.Item c="var(--mantine-color-error)" onClick={startDeletion}>
                Delete
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <SlowHint isPending={isPending} />
      <FormError message={error?.message} />
    </PanelItem>
  );
}
