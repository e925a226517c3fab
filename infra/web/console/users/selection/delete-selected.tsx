import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { deleteUsers, type Failure } from '../../api/selected-users.ts';
import type { User } from '../../api/users.ts';
import { deleteLater } from '../../deletions.ts';
import { formatCount } from '../../format.ts';
import { notify } from '../../notices.tsx';
import { refresh } from '../../query-client.ts';
import { forgetUsers } from '../../user/delete-user.tsx';
import { runBulkJob } from './bulk-job.ts';
import { reportFailures } from './failure-report.ts';

/** Above this, the person must confirm: one click selects a whole page. */
const MAX_UNCONFIRMED = 10;

/** Above this, the person must type the number. */
const MAX_UNTYPED = 100;

/** While a page is left, browsers send at most 64 KiB: about 1,000 users. */
const MAX_SENT_WHILE_LEAVING = 500;

type Props = { users: User[]; onDeleted: (ids: ReadonlySet<string>) => void };

export function DeleteSelected({ users, onDeleted }: Props) {
  const [isAsking, { open: ask, close: cancel }] = useDisclosure();
  const count = formatCount(users.length, 'user');
  const start = () => {
    const [first] = users;
    const name = first && users.length === 1 ? first.name : count;
    deleteLater({
      ids: users.map(({ id }) => id),
      name,
      ...(users.length === 1 ? {} : { problem: `Of ${name}, some were not deleted` }),
      canLeave: () => users.length <= MAX_SENT_WHILE_LEAVING,
      send: async (isLeaving) => {
        const failures: Failure[] = [];
        const deleted = new Set<string>();
        const isDone = await runBulkJob({
          label: 'Deleting',
          items: users,
          isLeaving,
          change: async (part) => {
            const failed = await deleteUsers(part);
            failures.push(...failed);
            for (const { id } of part) if (!failed.some(({ user }) => user.id === id)) deleted.add(id);
          },
        });
        onDeleted(deleted);
        await forgetUsers(...deleted);
        if (users.length === 1 && failures[0]) throw new Error(`${failures[0].user.name}: ${failures[0].reason}`);
        reportFailures(`Of ${name}, some were not deleted`, failures);
        if (failures.length > 0) refresh(['users']);
        if (!isDone) notify({ message: `Cancelled: deleted ${deleted.size} of ${name}`, tone: 'done' });
      },
      onFailed: () => refresh(['users']),
    });
  };
  return (
    <>
      <Button size="xs" variant="light" color="red" onClick={users.length > MAX_UNCONFIRMED ? ask : start}>
        Delete
      </Button>
      <Modal opened={isAsking} onClose={cancel} title={`Delete ${count}?`} centered>
        <Confirmation users={users.length} onConfirm={start} onCancel={cancel} />
      </Modal>
    </>
  );
}

type ConfirmationProps = { users: number; onConfirm: () => void; onCancel: () => void };

function Confirmation({ users, onConfirm, onCancel }: ConfirmationProps) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const isTyped = users > MAX_UNTYPED;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isTyped && typed.replaceAll(/\D/g, '') !== String(users)) setError(`The number is ${users}`);
    else onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">Their posts are deleted, too. You can undo this for 10 seconds.</Text>
        {isTyped && (
          <TextInput
            label={`Type ${users} to delete them`}
            inputMode="numeric"
            autoComplete="off"
            data-autofocus
            value={typed}
            error={error}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" color="red">
            Delete {formatCount(users, 'user')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
