import { Button, Group, NativeSelect, Pagination, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import type { UserList } from '../api/users.ts';
import { formatCount, formatMatches } from '../format.ts';
import { useIsOutage } from '../outage/outage.ts';
import { findPreviousPage, navigate, PAGE_SIZES, setPageSize, useRoute } from '../route.ts';
import { findConditions, isNarrowed } from './filter.ts';

type Props = { list: UserList; matches: number | undefined; isStale: boolean };

type PagerProps = Omit<Props, 'list'> & { list: UserList | undefined };

export function Pager({ list, ...props }: PagerProps) {
  const route = useRoute();
  const [lastTotal, setLastTotal] = useState(list?.total);
  if (list?.total !== undefined && list.total !== lastTotal) setLastTotal(list.total);
  // Keeps the last number while the list is missing, for example offline: earlier pages remain reachable.
  const total = list ? list.total : findConditions(route) ? undefined : lastTotal;
  const isMissing = useIsOutage() && (!list || props.isStale);
  return (
    <Group component="nav" justify="space-between" gap="xs" py={7} aria-label="Pages">
      {total !== undefined && <NumberedPages total={total} isMissing={isMissing} />}
      {list && list.total === undefined && <MatchPages list={list} {...props} />}
      <NativeSelect
        ml="auto"
        aria-label="Users per page"
        size="xs"
        value={route.size}
        onChange={({ currentTarget }) => setPageSize(Number(currentTarget.value))}
        data={PAGE_SIZES.map((size) => ({ value: String(size), label: `${size} per page` }))}
      />
    </Group>
  );
}

const LABELS = { first: 'First page', previous: 'Previous page', next: 'Next page', last: 'Last page' };

export const countPages = (total: number, size: number): number => Math.max(1, Math.ceil(total / size));

function NumberedPages({ total, isMissing }: { total: number; isMissing: boolean }) {
  const { page, size } = useRoute();
  const pages = countPages(total, size);
  const isNarrow = useMediaQuery('(max-width: 24em)', false, { getInitialValueInEffect: false });
  if (page > pages) return <Text size="sm">{formatCount(pages, 'page')}</Text>;
  const [first, last, all] = [(page - 1) * size + 1, Math.min(page * size, total), total].map(formatNumber);
  return (
    <Group gap="md">
      <Pagination
        size="sm"
        siblings={isNarrow ? 0 : 1}
        value={page}
        total={pages}
        onChange={(page) => navigate({ page })}
        getControlProps={(control) => ({ 'aria-label': LABELS[control] })}
        getItemProps={(page) => ({ 'aria-label': `Page ${page} of ${pages}` })}
      />
      {total > 0 && (
        <Text size="sm" c="dimmed" visibleFrom="sm">
          {isMissing ? `Page ${page} is not loaded yet` : `${first}–${last} of ${all}`}
        </Text>
      )}
    </Group>
  );
}

const formatNumber = (number: number) => number.toLocaleString('en');

/** Matches have no page numbers. */
function MatchPages({ list, matches, isStale }: Props) {
  const route = useRoute();
  const { after, previous } = route;
  const goNext = () => {
    // Does nothing while the old list is visible: its `next` belongs to the previous search.
    if (!isStale) navigate({ after: list.next, previous: after ? [...previous, after] : [] });
  };
  const { length } = list.users;
  return (
    <Group gap="xs">
      <Button size="compact-sm" variant="default" disabled={!after} onClick={() => navigate(findPreviousPage(route))}>
        Previous
      </Button>
      <Button size="compact-sm" variant="default" disabled={!list.next} onClick={goNext}>
        Next
      </Button>
      <Text size="sm" c="dimmed">
        {list.next || after
          ? `${length}${matches === undefined ? '' : ` of ${matches.toLocaleString('en')}`} on this page`
          : isNarrowed(route)
            ? formatMatches(length)
            : formatCount(length, 'user')}
      </Text>
    </Group>
  );
}
