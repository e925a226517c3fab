import { ActionIcon, Badge, Menu, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Post, publishPost } from '../api/posts.ts';
import { useRestoredFocus } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { DotsIcon } from '../icons.tsx';
import { DeletePost } from './delete-post.tsx';
import { EditTitle } from './edit-title.tsx';
import { usePostChanges } from './use-post-changes.ts';
import { usePostError } from './use-post-error.ts';
import { FormError } from './user-fields.tsx';

type Props = { post: Post; authorId: string };

export function PostRow({ post, authorId }: Props) {
  const posts = usePostChanges(authorId);
  const [isEditing, setEditing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { mutate: publish, error } = useMutation({
    mutationFn: () => publishPost(post.id),
    onSuccess: posts.replace,
    onError: usePostError(post, authorId, 'published'),
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
        <span className="post-title">{post.title}</span>
        {post.publishedAt ? (
          <Badge variant="light" color="teal" title={formatTime(new Date(post.publishedAt))}>
            Published {formatAge(new Date(post.publishedAt))}
          </Badge>
        ) : (
          <Badge variant="default">Draft</Badge>
        )}
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
            <Menu.Item c="var(--mantine-color-error)" onClick={() => setDeleting(true)}>
              Delete…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      <FormError message={error?.message} />
      <DeletePost post={post} isOpen={isDeleting} onClose={() => setDeleting(false)} onDeleted={posts.remove} />
    </li>
  );
}
