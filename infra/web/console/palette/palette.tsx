import { Modal, Text, TextInput, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useState } from 'react';
import type { ActivityView } from '../activity/activity-dock.tsx';
import { Address } from '../address.tsx';
import { isSearch, listUsers } from '../api/users.ts';
import { useCanReadHistory, useCanWrite } from '../auth/token.ts';
import { copyLink, copyUnseen } from '../copy-text.tsx';
import { labelExport, startExport } from '../export/export.ts';
import { openImport } from '../import/launch.ts';
import { isComposing, overlay } from '../keys.ts';
import { navigate, useRoute } from '../route.ts';
import type { ConsoleSettings } from '../settings.ts';
import { useDownloadPerson } from '../user/download-person.tsx';
import { findId, findOwner, isAddress } from '../users/find.ts';
import classes from './palette.module.css';

type Command = { id: string; label: string; hint?: string; run: () => void };

const MAX_USERS = 6;

type Props = { settings: ConsoleSettings; onShowActivity: (view: ActivityView) => void; onClose: () => void };

/** Finds users and commands by what is typed (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). */
export function Palette({ settings, onShowActivity, onClose }: Props) {
  const [text, setText] = useState('');
  /** The option that the arrow keys have selected; otherwise it is the first. */
  const [selectedId, setSelectedId] = useState<string>();
  /** Enter was pressed before the matches of the text had come. */
  const [isAwaited, setAwaited] = useState(false);
  const { users, isPending, error } = useUserCommands(text);
  const commands = useCommands(settings, onShowActivity).filter(({ label }) =>
    label.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const all = [...users, ...commands];
  const selected = all.find(({ id }) => id === selectedId);
  const current = selected ?? all[0];
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  useEffect(() => {
    if (!isAwaited || isPending) return;
    setAwaited(false);
    if (!error) run(all[0]);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter' && isPending && !selected) setAwaited(true);
    else if (event.key === 'Enter') run(current);
    else if (step && current) setSelectedId(all.at((all.indexOf(current) + step) % all.length)?.id);
    else return;
    event.preventDefault();
  };
  const groups = [
    { label: 'Users', items: users },
    { label: 'Commands', items: commands },
  ].filter(({ items }) => items.length > 0);
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
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setSelectedId(undefined);
          setAwaited(false);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label="Users and commands" className={classes.list}>
        {groups.map(({ label, items }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of options
          <div key={label} role="group" aria-label={label}>
            <Text size="xs" c="dimmed" px="xs" pt="xs" aria-hidden="true">
              {label}
            </Text>
            {items.map((command) => (
              <Option key={command.id} command={command} isSelected={command === current} onRun={run} />
            ))}
          </div>
        ))}
      </div>
      {error ? (
        <Text size="sm" c="red" p="xs" role="alert">
          The search has failed: {error.message}
        </Text>
      ) : (
        all.length === 0 && (
          <Text size="sm" c="dimmed" p="xs" role="status">
            {isPending ? 'Searching' : 'Nothing matches'}
          </Text>
        )
      )}
    </Modal>
  );
}

type OptionProps = { command: Command; isSelected: boolean; onRun: (command: Command) => void };

const Option = ({ command, isSelected, onRun }: OptionProps) => (
  // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the selected option
  // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
  <div
    id={`palette-${command.id}`}
    role="option"
    aria-selected={isSelected}
    className={classes.option}
    ref={(element) => {
      if (isSelected) element?.scrollIntoView({ block: 'nearest' });
    }}
    onClick={() => onRun(command)}
  >
    <bdi>{command.label}</bdi>
    {command.hint && (
      <Text span size="sm" c="dimmed">
        <Address value={command.hint} />
      </Text>
    )}
  </div>
);

type UserCommands = { users: Command[]; isPending: boolean; error: Error | null };

/**
 * Returns the users whom a text finds: by id, by address, or by what names and addresses begin with. While the answer is
 * pending, they are those of the text before.
 */
function useUserCommands(text: string): UserCommands {
  const typed = text.trim();
  const id = findId(typed);
  const isEnabled = !id && isSearch(typed);
  const { data, isPending, isPlaceholderData, error } = useQuery({
    queryKey: ['palette', typed],
    queryFn: async ({ signal }) => {
      const [{ users }, owner] = await Promise.all([
        listUsers({ q: typed, limit: MAX_USERS }, signal),
        isAddress(typed) ? findOwner(typed) : undefined,
      ]);
      const isListed = users.some((user) => user.id === owner);
      return [...(owner && !isListed ? [{ id: owner, name: typed, email: '' }] : []), ...users];
    },
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  });
  const openUser = (user: string) => () => navigate({ user });
  if (id) return { users: [{ id, label: `Open ${id}`, run: openUser(id) }], isPending: false, error: null };
  if (!isEnabled) return { users: [], isPending: false, error: null };
  const users = (data ?? []).map(({ id, name, email }) => ({ id, label: name, hint: email, run: openUser(id) }));
  return { users, isPending: isPending || isPlaceholderData, error };
}

function useCommands({ links }: ConsoleSettings, onShowActivity: Props['onShowActivity']): Command[] {
  const route = useRoute();
  const { user } = route;
  const canWrite = useCanWrite();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  const canReadHistory = useCanReadHistory();
  const { mutate: downloadPerson } = useDownloadPerson(user ?? '');
  const link = { id: 'link', label: 'Copy link', hint: 'L', run: copyLink };
  // What concerns the open user comes first.
  const ofUser =
    user && user !== 'new'
      ? [
          link,
          { id: 'id', label: 'Copy the id', run: () => copyUnseen('the id', user) },
          ...(canReadHistory
            ? [{ id: 'data', label: 'Download all data of this user', run: () => downloadPerson() }]
            : []),
        ]
      : [];
  return [
    ...ofUser,
    ...(canWrite ? [{ id: 'new', label: 'New user', hint: 'N', run: () => navigate({ user: 'new' }) }] : []),
    ...(canWrite ? [{ id: 'import', label: 'Import users', run: () => void openImport() }] : []),
    { id: 'csv', label: `${labelExport(route)} as CSV`, run: () => startExport(route, 'csv') },
    { id: 'ndjson', label: `${labelExport(route)} as NDJSON`, run: () => startExport(route, 'ndjson') },
    ...(ofUser.length === 0 ? [link] : []),
    {
      id: 'colors',
      label: isDark ? 'Use light colors' : 'Use dark colors',
      run: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    { id: 'changes', label: 'Show changes', run: () => onShowActivity('changes') },
    { id: 'requests', label: 'Show requests', run: () => onShowActivity('requests') },
    ...links.map(({ label, path }) => ({ id: `page-${label}`, label, hint: path, run: () => location.assign(path) })),
    { id: 'keys', label: 'Keys', hint: '?', run: () => overlay.set(() => 'keys') },
  ];
}
