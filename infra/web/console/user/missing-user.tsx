import { Button, EmptyState } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { pendingDeletions } from '../deletions.ts';
import { panelTitle, useRestoredFocus } from '../focus.ts';
import { dismissAbout } from '../notices.tsx';
import { closeUser, navigate } from '../route.ts';
import { useStore } from '../store.ts';
import { type Draft, emptyDraft, findChangedFields, userDrafts } from './drafts.ts';
import { Facts, MemberFact } from './facts.tsx';
import { useDeletedName } from './use-history.ts';

export function MissingUser({ id, isErased = false }: { id: string; isErased?: boolean }) {
  const deletion = useStore(pendingDeletions).get(id);
  const draft = userDrafts.useDraft(id);
  const name = useDeletedName(id, { enabled: !deletion && !isErased && !draft });
  const back = (
    <Button variant="default" onClick={() => closeUser(id)}>
      Back to the list
    </Button>
  );
  if (deletion)
    return (
      <Missing name={deletion.name} description="You have just deleted this user.">
        {deletion.undo && <Button onClick={deletion.undo}>Undo</Button>}
        {back}
      </Missing>
    );
  if (isErased)
    return (
      <Missing title="This person was erased" description="The confirmation says what was erased, and what remains.">
        {back}
      </Missing>
    );
  if (draft) return <KeptDraft draft={draft} />;
  if (name === undefined)
    return (
      <Missing title="There is no such user" description="The user was deleted, or never existed.">
        {back}
      </Missing>
    );
  return (
    <Missing name={name} title=" was deleted" description="The changes are kept for a while.">
      {back}
    </Missing>
  );
}

type Props = { name?: string; title?: string; description: string; facts?: ReactNode; children: ReactNode };

function Missing({ name, title, description, facts, children }: Props) {
  useRestoredFocus(panelTitle);
  return (
    <EmptyState
      icon={<IconUsers size={28} />}
      title={
        <>
          <bdi>{name}</bdi>
          {title}
        </>
      }
      description={description}
    >
      {facts}
      <EmptyState.Actions>{children}</EmptyState.Actions>
    </EmptyState>
  );
}

function KeptDraft({ draft: { base, input } }: { draft: Draft }) {
  const isFormFree = userDrafts.useDraft(emptyDraft.base.id) === undefined;
  const discard = () => {
    userDrafts.drop(base.id);
    dismissAbout(base.id);
  };
  const createAgain = () => {
    userDrafts.set(emptyDraft.base, input);
    discard();
    navigate({ user: emptyDraft.base.id });
  };
  return (
    <Missing
      name={base.name}
      title=" was deleted elsewhere"
      description="Your unsaved changes are kept until you discard them."
      facts={
        <Facts>
          {Object.entries(findChangedFields(base, input)).map(([member, value]) => (
            <MemberFact key={member} member={member} value={value} />
          ))}
        </Facts>
      }
    >
      {isFormFree && <Button onClick={createAgain}>Create again</Button>}
      <Button variant="default" onClick={discard}>
        Discard changes
      </Button>
    </Missing>
  );
}
