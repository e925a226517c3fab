import { useEffect, useRef } from 'react';
import { navigate, useRoute } from '../route.ts';
import { ListError, NoMatches, NoUsers, PageIsEmpty } from './empty-states.tsx';
import { countPages, Pager } from './pager.tsx';
import { isSearch } from './search-text.ts';
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
  const content = () => {
    if (!list) return error ? null : <UserGridSkeleton />;
    if (list.users.length > 0)
      return <UserGrid users={list.users} openId={route.user} isStale={isPlaceholderData && isFetching} />;
    // That the list of before is empty says nothing about this one.
    if (isPlaceholderData) return <UserGridSkeleton />;
    if (isSearch(route.q)) return <NoMatches q={route.q} />;
    return list.total ? <PageIsEmpty page={page} pages={countPages(list.total, size)} /> : <NoUsers />;
  };
  return (
    <main className="users">
      <Toolbar total={list?.total} newUsers={newUserIds.length} onShowNew={showNew} />
      <section className="grid-area" ref={area} aria-label="Users" aria-busy={isFetching}>
        {error && <ListError error={error} isLocal={isLocal} onRetry={() => refetch()} />}
        {content()}
      </section>
      {list && <Pager list={list} isStale={isPlaceholderData} />}
    </main>
  );
}
