import { Button } from '@mantine/core';
import { deleteUser, type User } from '../api/users.ts';
import { deleteLater } from '../deletions.ts';
import { focusFirst, newUserButton, type Target, userLink } from '../focus.ts';
import { dismissAbout } from '../notices.tsx';
import { queryClient, refresh, refreshLists } from '../query-client.ts';
import { closeUser, openInsteadOf } from '../route.ts';
import { dropTitles, userDrafts } from './drafts.ts';

export function DeleteUser({ user }: { user: User }) {
  const { id, name } = user;
  const start = () => {
    const next = findNextUser(id);
    deleteLater({
      ids: [id],
      name,
      send: () => deleteUser(user),
      onDeleted: () => forgetUsers(id),
      onFailed: () => refresh(['user', id]),
      onUndone: () => openInsteadOf(undefined, id),
    });
    closeUser(id);
    // Moves the focus, because closing the panel removes the focused button.
    requestAnimationFrame(() => focusFirst(next, newUserButton));
  };
  return (
    <Button variant="light" color="red" onClick={start}>
      Delete user
    </Button>
  );
}

function findNextUser(id: string): Target {
  const row = userLink(id).current?.closest('tr');
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  return { current: next?.querySelector('a') ?? null };
}

/** The change feed does the same, but may be paused. */
export function forgetUsers(...ids: string[]): Promise<void> {
  for (const id of ids) {
    userDrafts.drop(id);
    dropTitles(id);
    closeUser(id);
    dismissAbout(id);
    queryClient.setQueryData(['user', id], null);
    queryClient.removeQueries({ queryKey: ['posts', id] });
  }
  return refreshLists();
}
