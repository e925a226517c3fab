import { useEffect, useRef } from 'react';
import { navigate, useRoute } from '../route.ts';
import { EmptyList } from './empty-states.tsx';
import { ListError } from './list-error.tsx';
import { Pager } from './pager.tsx';
import { Toolbar } from './toolbar.tsx';
import { useListUpdates } from './use-list-updates.ts';
import { useUserList } from './use-user-list.ts';
import { UserGrid, UserGridSkeleton } from './user-grid.tsx';

type Props = { isLocal: boolean; newUserIds: string[]; onShowNew: () => void };

export function UsersPage({ isLocal, newUserIds, onShowNew }: Props) {
  const route = useRoute();
  const { data: list, error, isPlaceholderData, isFetching, refetch } = useUserList(route);
  useListUpdates();
  const area = useRef<HTMLElement>(null);
  const { q, order, page, size, after } = route;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is read from its start
  useEffect(() => {
    area.current?.scrollTo(0, 0);
  }, [q, order, page, size, after]);
  const showNew = () => {
    navigate({ q: '', order: 'desc', page: 1, after: undefined });
    onShowNew();
  };
  // That the list of before is empty says nothing about this one.
  const shown = isPlaceholderData && list?.users.length === 0 ? undefined : list;
  return (
    <main className="users">
      <Toolbar total={list?.total} newUsers={newUserIds.length} onShowNew={showNew} />
      <section className="grid-area" ref={area} aria-label="Users" aria-busy={isFetching}>
        {error && <ListError error={error} isLocal={isLocal} onRetry={() => refetch()} />}
        {!shown && !error && <UserGridSkeleton />}
        {shown?.users.length === 0 && <EmptyList total={shown.total} />}
        {shown && shown.users.length > 0 && (
          <UserGrid users={shown.users} openId={route.user} isStale={isPlaceholderData && isFetching} />
        )}
      </section>
      {list && <Pager list={list} isStale={isPlaceholderData} />}
    </main>
  );
}
