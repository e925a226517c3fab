import { Button, DataList, EmptyState } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { Address } from '../address.tsx';
import { pendingDeletions, undoDeletion } from '../deletions.ts';
import { formatMember, labelMember } from '../own-fields.ts';
import { closeUser, navigate } from '../route.ts';
import { useStore } from '../store.ts';
import { useDeletedName } from './deleted-name.ts';
import { type Draft, dropDraft, findChangedFields, setDraft, useDraft } from './drafts.ts';
import { emptyDraft } from './new-user.tsx';

/** Tells that a user was deleted, here or elsewhere, and what remains of it. */
export function MissingUser({ id }: { id: string }) {
  const deletion = useStore(pendingDeletions).get(id);
  const draft = useDraft(id);
  const name = useDeletedName(id, { isAskedFor: !deletion && !draft });
  if (deletion) return <DeletedHere name={deletion.name} canUndo={!deletion.isSent} id={id} />;
  if (draft) return <KeptDraft draft={draft} />;
  return (
    <EmptyState
      icon={<IconUsers size={28} />}
      title={
        name === undefined ? (
          'There is no such user'
        ) : (
          <>
            <bdi>{name}</bdi> was deleted
          </>
        )
      }
      description={name === undefined ? 'The user was deleted, or never existed.' : 'The changes are kept for a while.'}
    >
      <EmptyState.Actions>
        <BackButton id={id} />
      </EmptyState.Actions>
    </EmptyState>
  );
}

const BackButton = ({ id }: { id: string }) => (
  <Button variant="default" onClick={() => closeUser(id)}>
    Back to the list
  </Button>
);

const DeletedHere = ({ id, name, canUndo }: { id: string; name: string; canUndo: boolean }) => (
  <EmptyState icon={<IconUsers size={28} />} title={<bdi>{name}</bdi>} description="You have just deleted this user.">
    <EmptyState.Actions>
      {canUndo && <Button onClick={() => undoDeletion(id)}>Undo</Button>}
      <BackButton id={id} />
    </EmptyState.Actions>
  </EmptyState>
);

/** What was typed is not lost with the user. */
function KeptDraft({ draft: { base, input } }: { draft: Draft }) {
  const isFormFree = useDraft(emptyDraft.base.id) === undefined;
  const createAgain = () => {
    setDraft({ base: emptyDraft.base, input });
    dropDraft(base.id);
    navigate({ user: emptyDraft.base.id });
  };
  return (
    <EmptyState
      icon={<IconUsers size={28} />}
      title={
        <>
          <bdi>{base.name}</bdi> was deleted elsewhere
        </>
      }
      description="Your unsaved changes are kept until you discard them."
    >
      <DataList labelWidth="5rem" gap={8}>
        {Object.entries(findChangedFields(base, input)).map(([name, value]) => (
          <DataList.Item key={name}>
            <DataList.ItemLabel>{labelMember(name)}</DataList.ItemLabel>
            <DataList.ItemValue miw={0}>
              <Address value={formatMember(name, value) || 'Not set'} />
            </DataList.ItemValue>
          </DataList.Item>
        ))}
      </DataList>
      <EmptyState.Actions>
        {isFormFree && <Button onClick={createAgain}>Create again</Button>}
        <Button variant="default" onClick={() => dropDraft(base.id)}>
          Discard changes
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}
