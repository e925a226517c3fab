import { Alert, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Post } from '../../../../lib/client/client.ts';
import { useCanWrite } from '../auth/token.ts';
import { dropTitleEdit, setTitleDraft, useTitleDraft, useTitleEdits } from './drafts.ts';

type Props = { authorId: string; posts: Post[]; isAuthorDeleted?: boolean };

/** What was typed as the title of a post that was deleted elsewhere, also with its author, is not lost with it. */
export function KeptTitles({ authorId, posts, isAuthorDeleted = false }: Props) {
  const canWrite = useCanWrite();
  const isFormFree = useTitleDraft(authorId) === '';
  const kept = useTitleEdits(authorId).filter(({ id }) => !posts.some((post) => post.id === id));
  return kept.map(({ id, base, title }) => {
    const createAgain = () => {
      setTitleDraft(authorId, title);
      dropTitleEdit(id);
    };
    return (
      <KeptTitle
        key={id}
        reason={
          <>
            “<bdi>{base}</bdi>” was deleted elsewhere.
          </>
        }
        title={title}
        onCreate={canWrite && isFormFree && !isAuthorDeleted ? createAgain : undefined}
        onDiscard={() => dropTitleEdit(id)}
      />
    );
  });
}

/** Nor is what was typed as the title of a new post lost with the author. */
export function KeptNewTitle({ authorId }: { authorId: string }) {
  const title = useTitleDraft(authorId);
  if (title === '') return null;
  return <KeptTitle reason="The post was not created." title={title} onDiscard={() => setTitleDraft(authorId, '')} />;
}

type KeptProps = { reason: ReactNode; title: string; onCreate?: (() => void) | undefined; onDiscard: () => void };

const KeptTitle = ({ reason, title, onCreate, onDiscard }: KeptProps) => (
  <Alert color="yellow" variant="light" role="status" p="sm">
    {reason} You had typed “<bdi>{title}</bdi>”.
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
  </Alert>
);
