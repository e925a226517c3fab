import { NativeSelect, Group as Row, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Group } from '../../../../lib/client/client.ts';
import { PendingButton } from '../pending-button.tsx';
import { FormError, SlowHint } from '../user/form-messages.tsx';
import { type Choice, UserSelect } from './search-select.tsx';
import { useMemberChange } from './use-member-change.ts';

type Props = { group: Group; roles: readonly string[] };

export function AddMember({ group, roles }: Props) {
  const [user, setUser] = useState<Choice | null>(null);
  const [role, setRole] = useState(roles[0] ?? '');
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
          <NativeSelect
            label="Role"
            value={role}
            data={[...roles]}
            onChange={({ currentTarget }) => setRole(currentTarget.value)}
          />
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
