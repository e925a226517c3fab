import { Button, Group, NativeSelect, Pagination, Text } from '@mantine/core';
import { useRef } from 'react';
import type { UserList } from '../api/users.ts';
import { navigate, PAGE_SIZES, useRoute } from '../route.ts';

type Props = { list: UserList; isSearch: boolean };

export function Pager({ list, isSearch }: Props) {
  const { size } = useRoute();
  return (
    <nav className="pager" aria-label="Pages">
      {isSearch ? <SearchPages list={list} /> : <NumberedPages total={list.total ?? 0} />}
      <NativeSelect
        aria-label="Users per page"
        size="xs"
        value={size}
        onChange={({ currentTarget }) => navigate({ size: Number(currentTarget.value), page: 1, after: undefined })}
        data={PAGE_SIZES.map((size) => ({ value: String(size), label: `${size} per page` }))}
      />
    </nav>
  );
}

const LABELS = { first: 'First page', previous: 'Previous page', next: 'Next page', last: 'Last page' };

function NumberedPages({ total }: { total: number }) {
  const { page, size } = useRoute();
  const pages = Math.max(1, Math.ceil(total / size));
  return (
    <Group gap="md">
      <Pagination
        size="sm"
        siblings={1}
        boundaries={1}
        value={page}
        total={pages}
        onChange={(page) => navigate({ page })}
        getControlProps={(control) => ({ 'aria-label': LABELS[control] })}
        getItemProps={(page) => ({ 'aria-label': `Page ${page} of ${pages}` })}
      />
      <Text size="sm" c="dimmed" className="pager-range">
        {total === 0
          ? ''
          : `${((page - 1) * size + 1).toLocaleString('en')}–${Math.min(page * size, total).toLocaleString('en')} of ${total.toLocaleString('en')}`}
      </Text>
    </Group>
  );
}

/** Matches are not counted: the pages of a search are reached one after the other. */
function SearchPages({ list }: { list: UserList }) {
  const { after } = useRoute();
  const previous = useRef<(string | undefined)[]>([]);
  const goNext = () => {
    previous.current.push(after);
    navigate({ after: list.next });
  };
  return (
    <Group gap="xs">
      <Button
        size="compact-sm"
        variant="default"
        disabled={!after}
        onClick={() => navigate({ after: previous.current.pop() })}
      >
        Previous
      </Button>
      <Button size="compact-sm" variant="default" disabled={!list.next} onClick={goNext}>
        Next
      </Button>
      <Text size="sm" c="dimmed">
        {list.next || after ? `${list.users.length} on this page` : formatMatches(list.users.length)}
      </Text>
    </Group>
  );
}

const formatMatches = (count: number) => (count === 1 ? '1 match' : `${count} matches`);
