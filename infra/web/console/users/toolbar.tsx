import { Box, Button, Group, SegmentedControl, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { MAX_NEW_USERS } from '../activity/use-change-feed.ts';
import { useCanWrite } from '../auth/token.ts';
import { newUserButton, useRestoredFocus, usersTitle } from '../focus.ts';
import { ImportButton } from '../import/import-launcher.tsx';
import { navigate, useRoute } from '../route.ts';
import { findFilter } from './filter.ts';
import { SearchField } from './search-field.tsx';
import classes from './toolbar.module.css';
import { ViewMenu } from './view-menu.tsx';

type Props = { total: number | undefined; newUsers: number; onShowNew: () => void };

export function Toolbar({ total, newUsers, onShowNew }: Props) {
  const route = useRoute();
  const filter = findFilter(route);
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
          {total === undefined ? '' : `${total.toLocaleString('en')} in total`}
        </Text>
        {newUsers > 0 && <NewUsersButton count={newUsers} onClick={onShowNew} />}
      </Group>
      <Group gap="xs" justify="flex-end" className={classes.list}>
        <SearchField className={classes.search} />
        <Group gap="xs" wrap="nowrap">
          {!filter && (
            <SegmentedControl
              aria-label="Order"
              value={route.order}
              onChange={(order) => navigate({ order, page: 1 })}
              data={[
                { value: 'desc', label: 'Newest' },
                { value: 'asc', label: 'Oldest' },
              ]}
            />
          )}
          {filter && !filter.by && (
            <Text size="sm" c="dimmed" px="xs">
              By matched word
            </Text>
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

function NewUsersButton({ count, onClick }: { count: number; onClick: () => void }) {
  useRestoredFocus(usersTitle);
  return (
    <Button size="compact-sm" variant="light" radius="xl" flex="none" onClick={onClick}>
      {count < MAX_NEW_USERS ? count : `${MAX_NEW_USERS.toLocaleString('en')} or more`} new: show
    </Button>
  );
}
