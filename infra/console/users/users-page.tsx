import { navigate, useRoute } from '../route.ts';
import { ListError, NoMatches, NoUsers, PageIsEmpty } from './empty-states.tsx';
import { Pager } from './pager.tsx';
import { Toolbar } from './toolbar.tsx';
import { isTooShort, useUserList } from './use-user-list.ts';
import { UserGrid, UserGridSkeleton } from './user-grid.tsx';

type Props = { newUserIds: string[]; onShowNew: () => void };

export function UsersPage({ newUserIds, onShowNew }: Props) {
  const route = useRoute();
  const { data: list, error, isPlaceholderData, isFetching, refetch } = useUserList(route);
  const isSearch = route.q !== '' && !isTooShort(route.q);
  const showNew = () => {
    navigate({ q: '', order: 'desc', page: 1, after: undefined });
    onShowNew();
  };
  const content = () => {
    if (error) return <ListError error={error} onRetry={() => refetch()} />;
    if (!list) return <UserGridSkeleton />;
    if (list.users.length > 0)
      return <UserGrid users={list.users} openId={route.user} isStale={isPlaceholderData && isFetching} />;
    if (isSearch) return <NoMatches q={route.q} />;
    return list.total === 0 ? <NoUsers /> : <PageIsEmpty />;
  };
  return (
    <main className="users">
      <Toolbar total={list?.total} newUsers={newUserIds.length} onShowNew={showNew} />
      <section className="grid-area" aria-label="Users" aria-busy={isFetching}>
        {content()}
      </section>
      {list && !error && <Pager list={list} isSearch={isSearch} />}
    </main>
  );
}
