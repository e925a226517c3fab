import { Alert, Button, Group } from '@mantine/core';
import type { SyntheticEvent } from 'react';
import type { User } from '../api/user-details.ts';
import type { UserInput } from '../api/users.ts';
import { useFocusAfter, usePassedFocus } from '../focus.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { setDraft } from './drafts.ts';
import { useEditUser } from './use-edit-user.ts';
import { UserFields } from './user-fields.tsx';

export function EditUser({ user }: { user: User }) {
  const { draft, save, discard, isOutdated, conflict } = useEditUser(user);
  const { mutate, error, isPending, reset } = save;
  const { name, email } = draft?.input ?? user;
  const change = (input: UserInput) => {
    setDraft({ base: draft?.base ?? user, input });
    // A save that is under way goes on.
    if (error) reset();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (draft) mutate({ draft, ...draft });
  };
  useFocusAfter(isPending, draft ? '.edit-user-save' : '.panel-title');
  return (
    <form className="form" onSubmit={submit} noValidate>
      <UserFields value={{ name, email }} error={conflict ? undefined : error} onChange={change} />
      {isOutdated && (
        <Alert color="yellow" variant="light" p="sm" role="status">
          This user was changed elsewhere to version {user.version} while you were typing. Saving shows both versions.
        </Alert>
      )}
      <Group>
        <Button type="submit" className="edit-user-save" disabled={!draft} loading={isPending}>
          Save
        </Button>
        {draft && <DiscardButton disabled={isPending} onClick={discard} />}
      </Group>
      {conflict && <ConflictDialog draft={conflict} user={user} save={save} onKeep={discard} onCancel={reset} />}
    </form>
  );
}

function DiscardButton(props: { disabled: boolean; onClick: () => void }) {
  const button = usePassedFocus<HTMLButtonElement>('.panel-title');
  return (
    <Button variant="default" ref={button} {...props}>
      Discard changes
    </Button>
  );
}
