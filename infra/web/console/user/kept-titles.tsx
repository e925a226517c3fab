import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Post } from '../../../../lib/client/client.ts';
import { useCanWrite } from '../auth/token.ts';
import { dropTitleEdit, setTitleDraft, useTitleDraft, useTitleEdits } from './drafts.ts';
import { Warning } from './form-messages.tsx';

/** What was typed as a title is not lost when others delete its post, or the author, of whom there are no posts then. */
export function KeptTitles({ authorId, posts }: { authorId: string; posts?: Post[] }) {
  const canWrite = useCanWrite();
  const newTitle = useTitleDraft(authorId);
  const edits = useTitleEdits(authorId).filter(({ id }) => !posts?.some((post) => post.id === id));
  const canCreate = canWrite && posts !== undefined && newTitle === '';
  const createAgain = (id: string, title: string) => {
    setTitleDraft(authorId, title);
    dropTitleEdit(id);
  };
  return (
    <>
      {edits.map(({ id, base, title }) => (
        <KeptTitle
          key={id}
          title={title}
          onCreate={canCreate ? () => createAgain(id, title) : undefined}
          onDiscard={() => dropTitleEdit(id)}
        >
          “<bdi>{base}</bdi>” was deleted elsewhere.
        </KeptTitle>
      ))}
      {posts === undefined && newTitle !== '' && (
        <KeptTitle title={newTitle} onDiscard={() => setTitleDraft(authorId, '')}>
          The post was not created.
        </KeptTitle>
      )}
    </>
  );
}

type KeptProps = { title: string; onCreate?: (() => void) | undefined; onDiscard: () => void; children: ReactNode };

const KeptTitle = ({ title, onCreate, onDiscard, children }: KeptProps) => (
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
