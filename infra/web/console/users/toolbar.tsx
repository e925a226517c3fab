import { Box, Button, Group, SegmentedControl, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { MAX_NEW_USERS } from '../activity/use-change-feed.ts';
import { useCanWrite } from '../auth/token.ts';
import { newUserButton, useRestoredFocus, usersTitle } from '../focus.ts';
import { formatMatches } from '../format.ts';
import { ImportButton } from '../import/import-launcher.tsx';
import { navigate, showList, useRoute } from '../route.ts';
import { findConditions } from './filter.ts';
import { SearchField } from './search-field.tsx';
import classes from './toolbar.module.css';
import { ViewMenu } from './view-menu.tsx';

/** `matches` counts the users that a filter or search finds, if it is known. */
type Props = { total: number | undefined; matches: number | undefined; newUsers: number; onShowNew: () => void };

export function Toolbar({ total, matches, newUsers, onShowNew }: Props) {
  const route = useRoute();
  const conditions = findConditions(route);
  const canWrite = useCanWrite();
  return (
    <Box className={classes.toolbar}>
      {/* The height stays when the button for new users appears. */}
      <Group gap="sm" wrap="nowrap" mih={36} miw={0}>
        <Title order={1} size="h3" tabIndex={-1} ref={usersTitle}>
          Users
        </Title>
        <Text
          c="dimmed"
          truncate
          {...(newUsers > 0 && { visibleFrom: 'sm' as const })}
          aria-live="polite"
          data-testid="total"
        >
          {describeCount(total, matches)}
        </Text>
        {newUsers > 0 && <NewUsersButton count={newUsers} onClick={onShowNew} />}
      </Group>
      <Group gap="xs" justify="flex-end" className={classes.list}>
        <SearchField className={classes.search} />
        <Group gap="xs" wrap="nowrap">
          {conditions && !conditions.order ? (
            <Text size="sm" c="dimmed" px="xs">
              {conditions.q ? 'By matched word' : 'By last change'}
            </Text>
          ) : (
            <SegmentedControl
              aria-label="Order"
              value={route.order}
              onChange={(order) => showList({ order })}
              data={[
                { value: 'desc', label: 'Newest' },
                { value: 'asc', label: 'Oldest' },
              ]}
            />
          )}
          <ViewMenu />
          {canWrite && <ImportButton />}
        </Group>
      </Group>
      {canWrite && (
        <Button
          ref={newUserButton}
          style={{ gridColumn: 3 }}
          leftSection={<IconPlus size={16} />}
          onClick={() => navigate({ user: 'new' })}
        >
          New user
        </Button>
      )}
    </Box>
  );
}

function describeCount(total: number | undefined, matches: number | undefined): string {
  if (total !== undefined) return `${total.toLocaleString('en')} in total`;
  return matches === undefined ? '' : formatMatches(matches);
}

function NewUsersButton({ count, onClick }: { count: number; onClick: () => void }) {
  useRestoredFocus(usersTitle);
  return (
    <Button size="compact-sm" variant="light" radius="xl" flex="none" onClick={onClick}>
      {count < MAX_NEW_USERS ? count : `${MAX_NEW_USERS.toLocaleString('en')} or more`} new: show
    </Button>
  );
}
