import { Box, Group, Modal, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { findId } from '../../../../lib/features/search/query.ts';
import { type ActivityView, useCanListDeleted, useIsDeveloper } from '../activity/activity-dock.tsx';
import { Address } from '../address.tsx';
import { isSearch, listUsers } from '../api/users.ts';
import { accessToken } from '../auth/access-token.ts';
import { signOut } from '../auth/sign-in.ts';
import { useCanReadHistory, useCanWrite } from '../auth/token.ts';
import { useOtherColors } from '../color-scheme-button.tsx';
import { copyLink, copyUnseen } from '../copy-text.tsx';
import { labelExport, listExports, startExport } from '../export/export.ts';
import { searchField } from '../focus.ts';
import { listGroups } from '../groups/groups.ts';
import { openImport } from '../import/state.ts';
import { isComposing, overlay, takeTypedAhead } from '../keys.ts';
import { findMembershipField } from '../own-fields.ts';
import { queryClient } from '../query-client.ts';
import { navigate, showList, useRoute } from '../route.ts';
import type { ConsoleSettings } from '../settings.ts';
import { useDownloadPerson } from '../user/download-person.tsx';
import { findConditions } from '../users/filter.ts';
import { listOrders } from '../users/order.ts';
import { useSavedViews } from '../users/saved-views.tsx';
import { listPageActions } from './page-actions.ts';

type Command = { id: string; label: string; hint: string; run: () => void };

/** `selectedId`: chosen with the arrow keys. `isEntered`: Enter was pressed before the matches arrived. */
type Typed = { text: string; selectedId?: string | undefined; isEntered?: boolean };

type Props = { settings: ConsoleSettings; onShowActivity: (view: ActivityView) => void; onClose: () => void };

/**
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox/. Mantine's Spotlight announces no options to screen readers, and
 * its Combobox only after an arrow key.
 */
export function Palette({ settings, onShowActivity, onClose }: Props) {
  const [typed, setTyped] = useState<Typed>({ text: '' });
  const text = typed.text.trim();
  const { data: users = [], isPending, isPlaceholderData, error } = useUserCommands(text);
  const groups = useGroupCommands(text);
  const isSearching = isPending || isPlaceholderData;
  const position = ({ label }: Command) => label.toLowerCase().indexOf(text.toLowerCase());
  // Labels that begin with the text come first.
  const match = (each: Command[]) =>
    each
      .filter((command) => position(command) >= 0)
      .toSorted((one, other) => Math.sign(position(one)) - Math.sign(position(other)));
  const allCommands = useCommands(settings, onShowActivity);
  const commands = match(allCommands);
  const [pageActions] = useState(listPageActions);
  const actions = match(
    pageActions
      .filter(({ label }) => !allCommands.some((command) => command.label === label))
      .map(({ label, place, run }, at) => createCommand(label, run, place, `action-${at}`)),
  );
  const all = [...users, ...groups, ...commands, ...actions];
  const selected = all.find(({ id }) => id === typed.selectedId);
  const current = selected ?? all[0];
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  useEffect(() => {
    if (!typed.isEntered || isSearching) return;
    setTyped({ text: typed.text });
    if (!error) run(all[0]);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter' && isSearching && !selected) setTyped({ ...typed, isEntered: true });
    else if (event.key === 'Enter') run(current);
    else if (step && current)
      setTyped({ ...typed, selectedId: all.at((all.indexOf(current) + step) % all.length)?.id });
    else return;
    event.preventDefault();
  };
  const renderGroup = (label: string, items: Command[]) =>
    items.length > 0 && (
      // biome-ignore lint/a11y/useSemanticElements: options of a listbox cannot be in a fieldset
      <div role="group" aria-label={label}>
        <Text size="xs" c="dimmed" px="xs" pt="xs" aria-hidden="true">
          {label}
        </Text>
        {items.map((command) => (
          <Option key={command.id} command={command} isSelected={command === current} onRun={() => run(command)} />
        ))}
      </div>
    );
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      returnFocus={false}
      padding="xs"
      size="36rem"
      yOffset="10vh"
      attributes={{ content: { 'aria-label': 'Palette' } }}
    >
      <TextInput
        data-autofocus
        role="combobox"
        aria-label="Find a user or a command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={current && `palette-${current.id}`}
        aria-autocomplete="list"
        placeholder="Name, address, id or command"
        leftSection={<IconSearch size={16} />}
        value={typed.text}
        onFocus={() => setTyped((latest) => ({ ...latest, text: latest.text + takeTypedAhead() }))}
        onChange={({ currentTarget }) => setTyped({ text: currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      <Box
        id="palette-list"
        role="listbox"
        aria-label="Users and commands"
        mah="min(24rem, 60vh)"
        mt={6}
        style={SCROLL}
      >
        {renderGroup('Users', users)}
        {renderGroup('Groups', groups)}
        {renderGroup('Commands', commands)}
        {renderGroup('Buttons of this page', actions)}
      </Box>
      <Text size="sm" c={error ? 'red' : 'dimmed'} px="xs" role="status">
        {error
          ? `The search has failed: ${error.message}`
          : all.length === 0 && (isSearching ? 'Searching' : 'Nothing matches')}
      </Text>
    </Modal>
  );
}

const SCROLL = { overflow: 'auto', overflowWrap: 'anywhere' } as const;

type OptionProps = { command: Command; isSelected: boolean; onRun: () => void };

/** Not focusable: the text field keeps the focus. */
const Option = ({ command: { id, label, hint }, isSelected, onRun }: OptionProps) => (
  <Group
    id={`palette-${id}`}
    role="option"
    aria-selected={isSelected}
    justify="space-between"
    wrap="nowrap"
    px="xs"
    py={6}
    bdrs="sm"
    bg={isSelected ? 'var(--chosen)' : 'transparent'}
    style={{ cursor: 'pointer' }}
    ref={(element) => {
      if (isSelected) element?.scrollIntoView({ block: 'nearest' });
    }}
    onClick={onRun}
  >
    <bdi>{label}</bdi>
    <Text span size="sm" c="dimmed">
      <Address value={hint} />
    </Text>
  </Group>
);

const MAX_USERS = 6;

const useUserCommands = (text: string) =>
  useQuery({
    queryKey: ['palette', text],
    queryFn: async ({ signal }): Promise<Command[]> => {
      const id = findId(text);
      if (id) return [openUser(id, `Open ${id}`)];
      if (!isSearch(text)) return [];
      const { users } = await listUsers({ q: text, filter: {}, limit: MAX_USERS }, signal);
      return users.map(({ id, name, email }) => openUser(id, name, email));
    },
    placeholderData: keepPreviousData,
  });

const MAX_GROUPS = 3;

/** Ignores errors, because the concurrent search of users reports them. */
function useGroupCommands(text: string): Command[] {
  const { data = [] } = useQuery({
    queryKey: ['palette-groups', text],
    queryFn: async ({ signal }) => (await listGroups(text, { limit: MAX_GROUPS, signal })).groups,
    placeholderData: keepPreviousData,
    enabled: findMembershipField() !== undefined && isSearch(text),
  });
  const found = isSearch(text) ? data.slice(0, MAX_GROUPS) : [];
  return found.map(({ id, name }) => createCommand(name, () => navigate({ groups: id, user: undefined }), 'group', id));
}

const openUser = (id: string, label: string, hint = '') => createCommand(label, () => navigate({ user: id }), hint, id);

const createCommand = (label: string, run: () => void, hint = '', id = label.replaceAll(' ', '-')): Command => ({
  id,
  label,
  hint,
  run,
});

function useCommands({ links }: ConsoleSettings, onShowActivity: Props['onShowActivity']): Command[] {
  const route = useRoute();
  const { user = 'new' } = route;
  const canWrite = useCanWrite();
  const canReadHistory = useCanReadHistory();
  const canListDeleted = useCanListDeleted();
  const colors = useOtherColors();
  const [isDeveloper, setDeveloper] = useIsDeveloper();
  const { views, show } = useSavedViews();
  const { mutate: downloadPerson } = useDownloadPerson(user);
  const isMissing = queryClient.getQueryData(['user', user]) === null;
  const ofUser = [
    createCommand('Copy link', copyLink, 'L'),
    createCommand('Copy the id', () => copyUnseen('the id', user)),
    ...(canReadHistory && !isMissing ? [createCommand('Download the data of this user', downloadPerson)] : []),
  ];
  const hasGroups = findMembershipField() !== undefined;
  const ofWriters = [
    createCommand('New user', () => navigate({ user: 'new' }), 'N'),
    createCommand('Import users', openImport),
    ...(hasGroups ? [createCommand('New group', () => navigate({ groups: 'new', user: undefined }))] : []),
  ];
  const isUserOpen = user !== 'new';
  return [
    ...(isUserOpen ? ofUser : []),
    ...(canWrite ? ofWriters : []),
    ...(hasGroups ? [createCommand('Show groups', () => navigate({ groups: 'all', user: undefined }))] : []),
    // Names of views may differ only by a hyphen instead of a space.
    ...views.map((view, at) => createCommand(`Show the view ${view.name}`, () => show(view), '', `view-${at}`)),
    ...listExports(route).flatMap((exported) => [
      createCommand(`${labelExport(exported)} as CSV`, () => startExport(exported, 'csv')),
      createCommand(`${labelExport(exported)} as NDJSON`, () => startExport(exported, 'ndjson')),
    ]),
    createCommand('Search the list', () => searchField.current?.focus(), '/'),
    ...listOrders(findConditions(route)).map(({ value, label, list }) =>
      createCommand(`Sort: ${label}`, () => showList(list), '', `sort-${value}`),
    ),
    ...(isUserOpen ? [] : ofUser.slice(0, 1)),
    createCommand(colors.label, colors.toggle),
    createCommand('Show changes', () => onShowActivity('changes')),
    createCommand('Show changes by day', () => onShowActivity('log')),
    ...(canListDeleted ? [createCommand('Show deleted users', () => onShowActivity('deleted'))] : []),
    ...(isDeveloper ? [createCommand('Show requests', () => onShowActivity('requests'))] : []),
    createCommand(isDeveloper ? 'Hide the Requests tab' : 'Show the Requests tab', () => setDeveloper(!isDeveloper)),
    ...links.map(({ label, path }) => createCommand(label, () => location.assign(path), path)),
    ...(accessToken.get() === undefined ? [] : [createCommand('Sign out', signOut)]),
    createCommand('Keys', () => overlay.set(() => 'keys'), '?'),
  ];
}
