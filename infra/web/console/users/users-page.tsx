import { Button, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { countMatches, type UserList } from '../api/users.ts';
import { pendingDeletions } from '../deletions.ts';
import { importing, openImport } from '../import/state.ts';
import { JobBar } from '../job-bar.tsx';
import { jobs } from '../jobs.ts';
import { MissingDialog, nextPart, preloadParts } from '../lazy-part.tsx';
import { ListError } from '../load-error.tsx';
import { useIsOutage } from '../outage/outage.ts';
import { type Route, showAll, useRoute } from '../route.ts';
import { listQuery, toListRequest } from '../shown-users.ts';
import { useStore } from '../store.ts';
import { EmptyList } from './empty-list.tsx';
import { findConditions } from './filter.ts';
import { FilterBar, UnknownFilters } from './filter-bar.tsx';
import { useListUpdates } from './list-updates.ts';
import { readOrder } from './order.ts';
import { Pager } from './pager.tsx';
import { useFirstMatch } from './search-text.ts';
import { failureReport } from './selection/failure-report.ts';
import { useSelection } from './selection/use-selection.ts';
import { Toolbar } from './toolbar.tsx';
import { UserGrid, UserGridSkeleton } from './user-grid.tsx';
import classes from './users-page.module.css';

const SelectionBar = nextPart(async () => (await import('./selection/selection-bar.tsx')).SelectionBar, MissingDialog);

const FailureDialog = nextPart(
  async () => (await import('./selection/failure-dialog.tsx')).FailureDialog,
  MissingDialog,
);

/** After the browser has painted the first list. */
const PRELOAD_AFTER_MS = 500;

type Props = { isLocal: boolean; newUserIds: string[]; onShowNew: () => void };

export function UsersPage({ isLocal, newUserIds, onShowNew }: Props) {
  const route = useRoute();
  const isDown = useIsOutage();
  const { key, data: list, error, isPlaceholderData, isFetching, refetch } = useUserList(route, isDown);
  useListUpdates();
  const area = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the page scrolls to the top
  useEffect(() => {
    area.current?.scrollTo(0, 0);
    area.current?.parentElement?.scrollTo(0, 0);
  }, [key]);
  const isShown = list !== undefined;
  useEffect(() => {
    if (!isShown) return undefined;
    const timer = setTimeout(preloadParts, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isShown]);
  useFirstMatch(route.q, isPlaceholderData ? undefined : list);
  const showNew = () => {
    showAll();
    onShowNew();
  };
  // Hides an empty old list, because the new one may have users.
  const shown = isPlaceholderData && list?.users.length === 0 ? undefined : list;
  const selection = useSelection({ page: key, list: nameList(route) }, shown?.users ?? []);
  const counted = isPlaceholderData ? undefined : list;
  const { count: matches, isCounting } = useCount(route, counted);
  // While matches are read, `list` has the number of the earlier list.
  const total = findConditions(route) ? undefined : list?.total;
  const failures = useStore(failureReport);
  return (
    <Stack component="main" className={classes.page} px={{ base: 'sm', sm: 'md' }} gap={0} miw={0} mih={0}>
      <Toolbar
        total={total}
        matches={matches}
        atLeast={counted && countEarlier(route) + counted.users.length}
        isCounting={isCounting}
        newUsers={newUserIds.length}
        onShowNew={showNew}
      />
      <FilterBar />
      <UnknownFilters />
      <section className={classes.area} ref={area} aria-label="Users" aria-busy={isFetching}>
        {error && <ListError error={error} isLocal={isLocal} onRetry={() => refetch()} />}
        {!shown && (!error || isDown) && <UserGridSkeleton />}
        {shown?.users.length === 0 && <EmptyList list={shown} />}
        {shown && shown.users.length > 0 && (
          <UserGrid users={shown.users} isStale={isPlaceholderData} isDown={isDown} selection={selection} />
        )}
        {shown && selection.users.length > 0 && (
          <SelectionBar selection={selection} list={shown} count={total ?? matches} />
        )}
      </section>
      <JobBars />
      {failures && <FailureDialog {...failures} />}
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

/** `key` identifies the list and page. During an outage, the last list stays as a placeholder. */
function useUserList(route: Route, isDown: boolean) {
  const request = toListRequest(route);
  const { data: read, ...query } = useQuery({ ...listQuery(request), placeholderData: keepPreviousData });
  const [last, setLast] = useState(read);
  if (read && read !== last) setLast(read);
  const data = read ?? (isDown ? last : undefined);
  const isPlaceholderData = query.isPlaceholderData || (read === undefined && data !== undefined);
  const deleted = useStore(pendingDeletions);
  return {
    ...query,
    isPlaceholderData,
    key: JSON.stringify(request),
    data: data && hideUsers(data, (id) => deleted.has(id)),
  };
}

/** The service still lists users with a deletion that can be undone. */
function hideUsers({ users, total, ...list }: UserList, isDeleted: (id: string) => boolean): UserList {
  const shown = users.filter(({ id }) => !isDeleted(id));
  return { ...list, users: shown, total: total && total - users.length + shown.length };
}

/** Identifies a list on all of its pages. */
const nameList = (route: Route): string => JSON.stringify(findConditions(route) ?? readOrder(route));

/** Users on earlier pages of matches. The route contains the cursors of all earlier pages except the first. */
const countEarlier = ({ after, previous, size }: Route): number => (after ? (previous.length + 1) * size : 0);

/** `count` is undefined while loading, and if there are too many to count. */
function useCount(route: Route, list: UserList | undefined): { count: number | undefined; isCounting: boolean } {
  const conditions = findConditions(route);
  const { q, filter = {} } = conditions ?? {};
  const isWhole = list !== undefined && list.next === undefined && route.after === undefined;
  const { data, isLoading } = useQuery({
    queryKey: ['count', filter, q],
    queryFn: async ({ signal }) => (await countMatches({ q, filter }, signal).catch(() => undefined)) ?? null,
    enabled: conditions !== undefined && list !== undefined && !isWhole,
  });
  if (!conditions) return { count: undefined, isCounting: false };
  return { count: isWhole ? list.users.length : (data ?? undefined), isCounting: isLoading };
}
