import { Box, Button, Group, NativeSelect, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { MAX_NEW_USERS } from '../activity/use-change-feed.ts';
import { useCanWrite } from '../auth/token.ts';
import { newUserButton, useRestoredFocus, usersTitle } from '../focus.ts';
import { ImportButton } from '../import/import-launcher.tsx';
import { navigate, type Route, showList, useRoute } from '../route.ts';
import { ExportMenu } from './export-menu.tsx';
import { findConditions, isNarrowed } from './filter.ts';
import { findOrder, listOrders } from './order.ts';
import { SearchField } from './search-field.tsx';
import classes from './toolbar.module.css';
import { ViewMenu } from './view-menu.tsx';

/** `matches`: users that a filter or search finds. `atLeast`: users up to the end of the page, for a list without a number. */
type Counts = {
  total: number | undefined;
  matches: number | undefined;
  atLeast: number | undefined;
  isCounting: boolean;
};

type Props = Counts & { newUsers: number; onShowNew: () => void };

export function Toolbar({ newUsers, onShowNew, ...counts }: Props) {
  const route = useRoute();
  const canWrite = useCanWrite();
  return (
    <Box className={classes.toolbar}>
      {/* Fixed height against layout shifts. */}
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
          {describeCount(counts, route)}
        </Text>
        {newUsers > 0 && <NewUsersButton count={newUsers} onClick={onShowNew} />}
      </Group>
      <Group gap="xs" justify="flex-end" className={classes.list}>
        <SearchField className={classes.search} />
        <Group gap="xs" wrap="nowrap" miw={0}>
          <OrderSelect />
          <ViewMenu />
          {canWrite && <ImportButton />}
          <ExportMenu />
        </Group>
      </Group>
      {canWrite && (
        <Button
          ref={newUserButton}
          style={{ gridColumn: 3 }}
          px="md"
          aria-label="New user"
          onClick={() => navigate({ user: 'new' })}
        >
          <IconPlus size={16} aria-hidden="true" />
          <span className={classes.label}>New user</span>
        </Button>
      )}
    </Box>
  );
}

/** Needed on phones, which show no column headers. */
function OrderSelect() {
  const route = useRoute();
  const conditions = findConditions(route);
  const orders = listOrders(conditions);
  return (
    <NativeSelect
      aria-label="Order"
      w="11.5rem"
      miw={0}
      value={findOrder(route, conditions)}
      data={orders.map(({ value, label }) => ({ value, label }))}
      onChange={({ currentTarget }) => {
        const chosen = orders.find(({ value }) => value === currentTarget.value);
        if (chosen) showList(chosen.list);
      }}
    />
  );
}

/** Short, against layout shifts while users are counted. */
function describeCount({ total, matches, atLeast, isCounting }: Counts, route: Route): string {
  const known = total ?? matches;
  const count = known ?? atLeast;
  if (count === undefined) return '';
  const number = `${count.toLocaleString('en')}${known === undefined ? '+' : ''}`;
  if (known === undefined && isCounting) return `${number}, counting`;
  if (!isNarrowed(route)) return `${number} in total`;
  return `${number} ${known === 1 ? 'match' : 'matches'}`;
}

function NewUsersButton({ count, onClick }: { count: number; onClick: () => void }) {
  useRestoredFocus(usersTitle);
  return (
    <Button size="compact-sm" variant="light" radius="xl" flex="none" onClick={onClick}>
      {count < MAX_NEW_USERS ? count : `${MAX_NEW_USERS.toLocaleString('en')} or more`} new: show
    </Button>
  );
}
