import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Post } from '../../../../lib/client/client.ts';
import { useCanWrite } from '../auth/token.ts';
import { panelTitle, useRestoredFocus } from '../focus.ts';
import { describeNewPost, titleDrafts, useTitleEdits } from './drafts.ts';
import { Warning } from './form-messages.tsx';

/** Shows unsaved titles of posts that another client has deleted, alone or with their author. */
export function KeptTitles({ authorId, posts }: { authorId: string; posts?: Post[] }) {
  const canWrite = useCanWrite();
  const newPost = describeNewPost(authorId);
  const created = titleDrafts.useDraft(newPost.id);
  const edits = useTitleEdits(authorId).filter(({ base }) => !posts?.some(({ id }) => id === base.id));
  const canCreate = canWrite && posts !== undefined && !created;
  return (
    <>
      {edits.map(({ base, input }) => {
        const discard = () => titleDrafts.drop(base.id);
        const createAgain = () => {
          titleDrafts.set(newPost, input);
          discard();
        };
        return (
          <KeptTitle
            key={base.id}
            title={input.title}
            onCreate={canCreate ? createAgain : undefined}
            onDiscard={discard}
          >
            “<bdi>{base.title}</bdi>” was deleted elsewhere.
          </KeptTitle>
        );
      })}
      {posts === undefined && created && (
        <KeptTitle title={created.input.title} onDiscard={() => titleDrafts.drop(newPost.id)}>
          The post was not created.
        </KeptTitle>
      )}
    </>
  );
}

type KeptProps = { title: string; onCreate?: (() => void) | undefined; onDiscard: () => void; children: ReactNode };

export function KeptTitle({ title, onCreate, onDiscard, children }: KeptProps) {
  useRestoredFocus(panelTitle);
  return (
    <Warning>
      {children} You had typed “<bdi>{title}</bdi>”.
      <Group gap="xs" mt="xs">
        {onCreate && (
          <Button size="compact-sm" onClick={onCreate}>
            Create again
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={onDiscard}>
          Discard
        </Button>
      </Group>
    </Warning>
  );
}
