import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findFormError } from '../api/field-errors.ts';
import { getCurrentUser, type User } from '../api/user-details.ts';
import type { UserInput } from '../api/users.ts';
import { ConflictField, type Side } from './conflict-field.tsx';
import type { Draft } from './drafts.ts';
import { findChangedFields, useSaveUser } from './use-save-user.ts';
import { FormError } from './user-fields.tsx';

type Props = { draft: Draft; onResolved: () => void; onCancel: () => void };

/** Shows the version that was saved elsewhere beside one's changes, and saves a choice of both. */
export function ConflictDialog({ draft, onResolved, onCancel }: Props) {
  const { id, version } = draft.base;
  const {
    data: current,
    error,
    refetch,
  } = useQuery({
    queryKey: ['conflict', id, version],
    queryFn: ({ signal }) => getCurrentUser(id, signal),
    gcTime: 0,
    staleTime: 0,
  });
  return (
    <Modal opened onClose={onCancel} title="This user has changed since you opened it" size="lg" centered>
      <FormError message={error?.message} />
      {current === undefined && !error && <Skeleton height={160} />}
      {current === null && <Text>Somebody deleted this user. Your changes cannot be saved.</Text>}
      {current && (
        <Choice
          key={current.version}
          draft={draft}
          current={current}
          onResolved={onResolved}
          onChangedAgain={() => refetch()}
        />
      )}
    </Modal>
  );
}

type ChoiceProps = { draft: Draft; current: User; onResolved: () => void; onChangedAgain: () => void };

function Choice({ draft: { base, input }, current, onResolved, onChangedAgain }: ChoiceProps) {
  const mine = findChangedFields(base, input);
  const [sides, setSides] = useState<Record<keyof UserInput, Side>>({
    name: mine.name === undefined ? 'theirs' : 'mine',
    email: mine.email === undefined ? 'theirs' : 'mine',
  });
  const save = useSaveUser();
  const chosen = {
    name: (sides.name === 'mine' ? input : current).name,
    email: (sides.email === 'mine' ? input : current).email,
  };
  const isUnchanged = chosen.name === current.name && chosen.email === current.email;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => save(current, chosen),
    onSuccess: onResolved,
    onError: onChangedAgain,
  });
  return (
    <Stack gap="md">
      <Text size="sm">
        You opened version {base.version}; it is at version {current.version} now. Choose what to keep.
      </Text>
      {(['name', 'email'] as const).map((field) => (
        <ConflictField
          key={field}
          label={field === 'name' ? 'Name' : 'Email'}
          mine={input[field]}
          theirs={current[field]}
          theirVersion={current.version}
          side={sides[field]}
          onChange={(side) => setSides({ ...sides, [field]: side })}
        />
      ))}
      <FormError message={findFormError(error, [])} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onResolved}>
          Keep version {current.version}
        </Button>
        <Button disabled={isUnchanged} loading={isPending} onClick={() => mutate()}>
          Save as version {current.version + 1}
        </Button>
      </Group>
    </Stack>
  );
}
