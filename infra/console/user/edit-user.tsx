import { Alert, Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { ApiError } from '../api/errors.ts';
import type { User } from '../api/user-details.ts';
import type { UserInput } from '../api/users.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { type Draft, dropDraft, setDraft, useDrafts } from './drafts.ts';
import { useSaveUser } from './use-save-user.ts';
import { UserFields } from './user-fields.tsx';

export function EditUser({ user }: { user: User }) {
  const draft = useDrafts().get(user.id);
  const save = useSaveUser();
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: ({ base, input }: Draft) => save(base, input),
    onSuccess: () => dropDraft(user.id),
  });
  const { name, email } = draft?.input ?? user;
  const discard = () => {
    dropDraft(user.id);
    reset();
  };
  const change = (input: UserInput) => {
    const base = draft?.base ?? user;
    if (input.name === base.name && input.email === base.email) dropDraft(user.id);
    else setDraft(user.id, { base, input });
    reset();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (draft) mutate(draft);
  };
  const isConflict = error instanceof ApiError && error.status === 412;
  return (
    <form className="form" onSubmit={submit} noValidate>
      <UserFields value={{ name, email }} error={isConflict ? undefined : error} onChange={change} />
      {draft && draft.base.version < user.version && (
        <Alert color="yellow" variant="light" p="sm" role="status">
          This user was changed elsewhere to version {user.version} while you were typing. Saving shows both versions.
        </Alert>
      )}
      <Group>
        <Button type="submit" disabled={!draft} loading={isPending}>
          Save
        </Button>
        {draft && (
          <Button variant="default" onClick={discard}>
            Discard changes
          </Button>
        )}
      </Group>
      {draft && isConflict && <ConflictDialog draft={draft} onResolved={discard} onCancel={reset} />}
    </form>
  );
}
