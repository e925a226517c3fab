import { Group as Row, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Group } from '../../../../lib/client/client.ts';
import { listRoles } from '../own-fields.ts';
import { PendingButton } from '../pending-button.tsx';
import { FormError, SlowHint } from '../user/form-messages.tsx';
import { RoleSelect } from './role-select.tsx';
import { type Choice, UserSelect } from './search-select.tsx';
import { useMemberChange } from './use-member-change.ts';

export function AddMember({ group }: { group: Group }) {
  const [user, setUser] = useState<Choice | null>(null);
  const [role, setRole] = useState(listRoles()[0] ?? '');
  const [isMissing, setMissing] = useState(false);
  const [added, setAdded] = useState(0);
  const { mutate, error, isPending, reset } = useMemberChange(
    { id: user?.value ?? '', name: user?.label ?? '' },
    group,
  );
  const choose = (choice: Choice | null) => {
    setUser(choice);
    setMissing(false);
    reset();
  };
  const finish = () => {
    choose(null);
    setAdded(added + 1);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(!user);
    if (user && !isPending) mutate({ before: undefined, after: role }, { onSuccess: finish });
  };
  return (
    <form onSubmit={submit} noValidate aria-label="Add a member">
      <Stack gap="xs">
        <Row gap="xs" align="flex-end">
          <UserSelect
            // A new field, because Mantine's refers to the chosen option even after that option is gone.
            key={added}
            group={group.id}
            label="Add a user"
            placeholder="Name or address"
            flex="1 1 16rem"
            chosen={user}
            error={isMissing && 'Choose a user'}
            onChoose={choose}
          />
          <RoleSelect label="Role" value={role} onChoose={setRole} />
          <PendingButton type="submit" isPending={isPending}>
            Add
          </PendingButton>
        </Row>
        <SlowHint isPending={isPending} />
        <FormError message={error?.message} />
      </Stack>
    </form>
  );
}
