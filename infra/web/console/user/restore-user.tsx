import { Alert, Stack, Text } from '@mantine/core';
import { type Erasure, isExisting, isNotFound, isTaken } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { deleteUser, type UserInput } from '../api/users.ts';
import { useCanWrite } from '../auth/token.ts';
import { panelTitle, useRestoredFocus } from '../focus.ts';
import { formatTime } from '../format.ts';
import { useChange } from '../notices.tsx';
import { PendingButton } from '../pending-button.tsx';
import { LISTS, refresh } from '../query-client.ts';
import { forgetUsers } from './delete-user.tsx';
import { FormError, SlowHint } from './form-messages.tsx';
import { OwnerLink } from './owner-link.tsx';
import { useHistory } from './use-history.ts';

const DAY_MS = 24 * 3_600_000;

export function RestoreUser({ id, erasure }: { id: string; erasure: Erasure | null | undefined }) {
  const canWrite = useCanWrite();
  const { data, dataUpdatedAt } = useHistory(id, null);
  const latest = data?.entries[0];
  if (erasure)
    return (
      <Text>
        The person was erased at {formatTime(new Date(erasure.requestedAt))}, so nobody can restore the record.
      </Text>
    );
  const last = latest && (latest.before ?? latest.after);
  if (!last || !data.since || !canWrite) return null;
  // The setting is in whole days. Rounding allows for a device clock that is minutes off.
  const keptDays = Math.max(1, Math.round((dataUpdatedAt - Date.parse(data.since)) / DAY_MS));
  const until = new Date(Date.parse(latest.at) + keptDays * DAY_MS);
  return <Restore id={id} last={last} until={until} mergedInto={latest.mergedInto} />;
}

/** `mergedInto`: also gives the other user of the merge its former values back. */
export function useRestore(id: string, name: string, mergedInto: string | null = null) {
  const read = [id, ...(mergedInto ? [mergedInto] : [])].flatMap((each) => [
    ['user', each],
    ['history', each],
    ['posts', each],
  ]);
  const shown = [...read, ['deleted-users'], ...LISTS];
  return useChange({
    failure: `${name} was not restored`,
    name,
    send: () => (mergedInto ? client.undoMerge(id) : client.users.restore(id)),
    onSent: async (user) => {
      await refresh(...shown);
      if (mergedInto) return { message: `Undid the merge of ${name}`, name, subject: id };
      const undo = () => deleteUser(user).then(() => forgetUsers(id));
      return { message: `Restored ${name}`, name, subject: id, undo };
    },
    onFailed: (error) => (isExisting(error) || isNotFound(error)) && refresh(['erasure', id], ...shown),
  });
}

type RestoreProps = { id: string; last: UserInput; until: Date; mergedInto: string | null };

function Restore({ id, last, until, mergedInto }: RestoreProps) {
  useRestoredFocus(panelTitle);
  const { mutate, error, isPending } = useRestore(id, last.name, mergedInto);
  const taken = isTaken(error) ? (error.issues[0]?.path[0] ?? 'email') : undefined;
  return (
    <Alert color="indigo" role="group" aria-label="Restore">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          You can {mergedInto ? 'undo the merge' : 'restore the last version'} until{' '}
          <time dateTime={until.toISOString()}>{formatTime(until)}</time>.{' '}
          {mergedInto
            ? 'The posts return, and the other user gets its former values back.'
            : 'Posts that are already deleted do not come back.'}{' '}
          After an erasure, nothing can be restored.
        </Text>
        <PendingButton isPending={isPending} onClick={() => mutate()}>
          {mergedInto ? 'Undo the merge' : 'Restore this user'}
        </PendingButton>
        <SlowHint isPending={isPending} />
        <FormError message={error?.message} />
        {taken !== undefined && (
          <Text size="sm">
            Change the other user first
            <OwnerLink field={String(taken)} value={String(last[taken])} />
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
