import { ActionIcon, Badge, Button, Group, Menu, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { findFieldError, findFormError } from '../api/field-errors.ts';
import { deletePost, type Post, publishPost, updatePost } from '../api/posts.ts';
import { formatAge, formatTime } from '../format.ts';
import { DotsIcon } from '../icons.tsx';
import { notify } from '../notices.ts';
import { useRefreshPosts } from './use-refresh-posts.ts';
import { FormError } from './user-fields.tsx';

type Props = { post: Post; authorId: string };

export function PostRow({ post, authorId }: Props) {
  const refresh = useRefreshPosts(authorId);
  const [isEditing, setEditing] = useState(false);
  const { mutate, error } = useMutation({
    mutationFn: async (operation: () => Promise<unknown>) => operation(),
    onSuccess: refresh,
  });
  if (isEditing) return <EditTitle post={post} onDone={() => setEditing(false)} refresh={refresh} />;
  return (
    <li>
      <div className="post">
        <span className="post-title">{post.title}</span>
        {post.publishedAt ? (
          <Badge variant="light" color="teal" title={formatTime(new Date(post.publishedAt))}>
            Published {formatAge(new Date(post.publishedAt))}
          </Badge>
        ) : (
          <Badge variant="default">Draft</Badge>
        )}
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${post.title}`}>
              <DotsIcon />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setEditing(true)}>Edit title</Menu.Item>
            {!post.publishedAt && (
              <Menu.Item onClick={() => mutate(() => publishPost(post.id))}>
                Publish
                <Text size="xs" c="dimmed">
                  Cannot be undone
                </Text>
              </Menu.Item>
            )}
            <Menu.Item color="red" onClick={() => mutate(() => deletePost(post.id))}>
              Delete
              <Text size="xs" c="dimmed">
                Cannot be undone
              </Text>
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      <FormError message={error?.message} />
    </li>
  );
}

function EditTitle({ post, onDone, refresh }: { post: Post; onDone: () => void; refresh: () => Promise<void> }) {
  const [title, setTitle] = useState(post.title);
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => updatePost(post.id, title),
    onSuccess: async () => {
      onDone();
      await refresh();
      // Posts have no version in the API, so this may overwrite a later change of the title.
      notify({ message: `Saved “${title}”`, tone: 'done', undo: () => updatePost(post.id, post.title).then(refresh) });
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <li>
      <form onSubmit={submit} noValidate>
        <Group gap="xs" align="flex-start" wrap="nowrap">
          <TextInput
            aria-label="Title"
            flex={1}
            autoFocus
            value={title}
            error={findFieldError(error, 'title')}
            onChange={({ currentTarget }) => {
              setTitle(currentTarget.value);
              reset();
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.stopPropagation();
              onDone();
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
    </li>
  );
}
