import { Button, Code, EmptyState, type EmptyStateProps } from '@mantine/core';
import { IconPlus, IconSearch, IconUpload, IconUsers } from '@tabler/icons-react';
import { findExample } from '../../../../lib/users/fields/declaration.ts';
import type { UserList } from '../api/users.ts';
import { mayWrite } from '../auth/token.ts';
import { useRestoredFocus, usersTitle } from '../focus.ts';
import { quote } from '../format.ts';
import { openImport } from '../import/state.ts';
import { ownFields } from '../own-fields.ts';
import { findPreviousPage, navigate, type Route, useRoute } from '../route.ts';
import { findConditions, isNarrowed } from './filter.ts';
import { countPages } from './pager.tsx';
import { explainSearch } from './search-text.ts';

export function EmptyList({ list: { total, next } }: { list: UserList }) {
  const route = useRoute();
  const { page, size, after } = route;
  const conditions = findConditions(route);
  const isFiltered = Object.keys(conditions?.filter ?? {}).length > 0;
  if (conditions && after !== undefined)
    return <EmptiedPage otherList={findPreviousPage(route)} label="Go to the previous page" />;
  if (conditions && next !== undefined)
    return <EmptiedPage otherList={{ after: next, previous: [] }} label="Go to the next page" />;
  if (conditions && !isNarrowed(route)) return <NoUsers />;
  if (conditions)
    return (
      <EmptyPage
        icon={<IconSearch size={28} />}
        variant="light"
        title={
          conditions.q ? (
            <>
              No user matches “<bdi>{conditions.q}</bdi>”{isFiltered && ' and the filters'}
            </>
          ) : (
            'No user matches the filters'
          )
        }
        description={[
          isFiltered && 'A user must match all filters. A text must be the whole value, as it was written.',
          conditions.q && explainSearch(conditions.q),
        ]
          .filter(Boolean)
          .join(' ')}
        otherList={{ q: '', filter: {}, after: undefined }}
        label="Show all users"
      />
    );
  if (!total) return <NoUsers />;
  if (page === 1) return <EmptiedPage otherList={{ page: 2 }} label="Go to the next page" />;
  const pages = countPages(total, size);
  if (page > pages)
    return (
      <EmptyPage
        icon={<IconUsers size={30} />}
        title={`There is no page ${page.toLocaleString('en')}`}
        description={pages === 1 ? 'There is only one page.' : `There are only ${pages.toLocaleString('en')} pages.`}
        otherList={{ page: 1 }}
        label="Go to the first page"
      />
    );
  return <EmptiedPage otherList={{ page: page - 1 }} label="Go to the previous page" />;
}

const EmptiedPage = (props: { otherList: Partial<Route>; label: string }) => (
  <EmptyPage
    icon={<IconUsers size={30} />}
    title="This page is empty"
    description="Its users were deleted, or match no more."
    {...props}
  />
);

/** Moves the focus to the title, because the clicked button disappears. */
function EmptyPage({ otherList, label, ...props }: EmptyStateProps & { otherList: Partial<Route>; label: string }) {
  useRestoredFocus(usersTitle);
  return (
    <EmptyState p="xl" style={{ overflowWrap: 'anywhere' }} {...props}>
      <EmptyState.Actions>
        <Button variant="default" onClick={() => navigate(otherList)}>
          {label}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}

const NoUsers = () => (
  <EmptyState
    p="xl"
    icon={<IconUsers size={30} />}
    variant="light"
    title="No users yet"
    description="Create the first one here, or through the API: it appears in this list and among the changes below."
  >
    {mayWrite() && (
      <EmptyState.Actions>
        <Button leftSection={<IconPlus size={16} />} onClick={() => navigate({ user: 'new' })}>
          Create a user
        </Button>
        <Button variant="default" leftSection={<IconUpload size={16} />} onClick={() => openImport()}>
          Import a file
        </Button>
      </EmptyState.Actions>
    )}
    <Code block maw="100%" ta="start" tabIndex={0}>
      {`curl ${location.origin}/v1/users \\\n  -H 'content-type: application/json' \\\n  -d ${quote(JSON.stringify(createExample()))}`}
    </Code>
  </EmptyState>
);

const createExample = () => ({
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  ...Object.fromEntries(
    ownFields
      .get()
      .filter(({ required }) => required)
      .map((field) => [field.name, findExample(field)]),
  ),
});
