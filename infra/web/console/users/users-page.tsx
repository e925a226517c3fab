import { Button, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { countMatches, type ListRequest, type UserList } from '../api/users.ts';
import { pendingDeletions } from '../deletions.ts';
import { importing, openImport } from '../import/state.ts';
import { JobBar } from '../job-bar.tsx';
import { jobs } from '../jobs.ts';
import { ListError } from '../load-error.tsx';
import { useIsOutage } from '../outage/outage.ts';
import { type Route, showList, useRoute } from '../route.ts';
import { listQuery } from '../shown-users.ts';
import { useStore } from '../store.ts';
import { EmptyList } from './empty-list.tsx';
import { findConditions, isCounted } from './filter.ts';
import { FilterBar, UnknownFilters } from './filter-bar.tsx';
import { useListUpdates } from './list-updates.ts';
import { Pager } from './pager.tsx';
import { useFirstMatch } from './search-text.ts';
import { FailureDialog } from './selection/failure-report.tsx';
import { SelectionBar } from './selection/selection-bar.tsx';
import { useSelection } from './selection/use-selection.ts';
import { Toolbar } from './toolbar.tsx';
import { UserGrid, UserGridSkeleton } from './user-grid.tsx';
import classes from './users-page.module.css';

type Props = { isLocal: boolean; newUserIds: string[]; onShowNew: () => void };

export function UsersPage({ isLocal, newUserIds, onShowNew }: Props) {
  const route = useRoute();
  const { key, data: list, error, isPlaceholderData, isFetching, refetch } = useUserList(route);
  useListUpdates();
  const isDown = useIsOutage();
  const area = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the page scrolls to the top
  useEffect(() => {
    area.current?.scrollTo(0, 0);
  }, [key]);
  useFirstMatch(route.q, isPlaceholderData ? undefined : list);
  const showNew = () => {
    showList({ q: '', filter: {}, sort: undefined, order: 'desc' });
    onShowNew();
  };
  // Hides an empty old list, because the new one may have users.
  const shown = isPlaceholderData && list?.users.length === 0 ? undefined : list;
  const selection = useSelection({ page: key, list: nameList(route) }, shown?.users ?? []);
  const matches = useCount(route, isPlaceholderData ? undefined : list);
  return (
    <Stack component="main" className={classes.page} px={{ base: 'sm', sm: 'md' }} gap={0} miw={0} mih={0}>
      <Toolbar total={list?.total} matches={matches} newUsers={newUserIds.length} onShowNew={showNew} />
      <FilterBar />
      <UnknownFilters />
      <section className={classes.area} ref={area} aria-label="Users" aria-busy={isFetching}>
        {error && <ListError error={error} isLocal={isLocal} onRetry={() => refetch()} />}
        {!shown && (!error || isDown) && <UserGridSkeleton />}
        {shown?.users.length === 0 && <EmptyList list={shown} />}
        {shown && shown.users.length > 0 && (
          <UserGrid users={shown.users} isStale={isPlaceholderData} selection={selection} />
        )}
        {shown && selection.users.length > 0 && (
          <SelectionBar selection={selection} list={shown} count={list?.total ?? matches} />
        )}
      </section>
      <JobBars />
      <FailureDialog />
      <Pager list={list} matches={matches} isStale={isPlaceholderData} />
    </Stack>
  );
}

function JobBars() {
  const { isOpen } = useStore(importing);
  const shown = useStore(jobs).filter(({ kind }) => kind !== 'Import' || !isOpen);
  return shown.map((job) => (
    <JobBar key={job.id} job={job}>
      {job.kind === 'Import' && (
        <Button size="xs" variant="default" onClick={() => openImport()}>
          Show
        </Button>
      )}
    </JobBar>
  ));
}

/** `key` identifies the list and page. */
function useUserList(route: Route) {
  const request = toListRequest(route);
  const { data, ...query } = useQuery({ ...listQuery(request), placeholderData: keepPreviousData });
  const deleted = useStore(pendingDeletions);
  return { ...query, key: JSON.stringify(request), data: data && hideUsers(data, (id) => deleted.has(id)) };
}

/** The service still lists users with a deletion that can be undone. */
function hideUsers({ users, total, ...list }: UserList, isDeleted: (id: string) => boolean): UserList {
  const shown = users.filter(({ id }) => !isDeleted(id));
  return { ...list, users: shown, total: total && total - users.length + shown.length };
}

/** Identifies a list on all of its pages. */
const nameList = (route: Route): string => JSON.stringify(findConditions(route) ?? route.order);

function toListRequest(route: Route): ListRequest {
  const { order, page, size: limit, after } = route;
  const conditions = findConditions(route);
  return conditions ? { limit, ...conditions, after } : { limit, page, order };
}

/** Undefined while the number is read, and if it is unknown. */
function useCount(route: Route, list: UserList | undefined): number | undefined {
  const conditions = findConditions(route);
  const { filter = {} } = conditions ?? {};
  const isWhole = list !== undefined && list.next === undefined && route.after === undefined;
  const { data } = useQuery({
    queryKey: ['count', filter],
    queryFn: async ({ signal }) => (await countMatches(filter, signal).catch(() => undefined)) ?? null,
    enabled: isCounted(conditions) && list !== undefined && !isWhole,
  });
  if (!conditions) return undefined;
  return isWhole ? list.users.length : (data ?? undefined);
}
