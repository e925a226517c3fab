import {
  Button,
  Group,
  Kbd,
  NativeSelect,
  SegmentedControl,
  Text,
  TextInput,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useState } from 'react';
import type { OwnField } from '../../../../lib/features/own-fields/declaration.ts';
import { MAX_LENGTH } from '../../../../lib/features/search/text.ts';
import { MAX_NEW_USERS } from '../activity/use-change-feed.ts';
import { isTooShort } from '../api/users.ts';
import { useCanWrite } from '../auth/token.ts';
import { firstUserLink, focusFirst, newUserButton, searchField, useRestoredFocus, usersTitle } from '../focus.ts';
import { ImportButton } from '../import/import-launcher.tsx';
import { isComposing, useSingleKeys } from '../keys.ts';
import { labelMember } from '../own-fields.ts';
import { navigate, useRoute } from '../route.ts';
import { createSessionStore } from '../store.ts';
import { findUniqueField, listUniqueFields } from './filter.ts';
import { findId, findOwner, isAddress, wantedFirst } from './find.ts';
import { ViewMenu } from './view-menu.tsx';

const DEBOUNCE_MS = 200;
/** No unique text is longer, in the units of browsers. */
const MAX_VALUE_LENGTH = 512;

/** Holds what was typed until it is in the address: the page may be left before. */
const typedSearch = createSessionStore('typed-search', (stored) => (typeof stored === 'string' ? stored : null));

type Props = { total: number | undefined; newUsers: number; onShowNew: () => void };

export function Toolbar({ total, newUsers, onShowNew }: Props) {
  const { q, by, order } = useRoute();
  const canWrite = useCanWrite();
  return (
    <div className="toolbar">
      <Group gap="sm" wrap="nowrap" className="toolbar-title">
        <Title order={1} size="h3" tabIndex={-1} ref={usersTitle} className="users-title">
          Users
        </Title>
        <Text c="dimmed" aria-live="polite" data-testid="total">
          {total === undefined ? '' : `${total.toLocaleString('en')} in total`}
        </Text>
        {newUsers > 0 && <NewUsersButton count={newUsers} onClick={onShowNew} />}
      </Group>
      <SearchField q={q} by={findUniqueField(by)} />
      <Group gap="xs" wrap="nowrap">
        <SegmentedControl
          aria-label="Order"
          // Matches are sorted by what matched.
          disabled={q !== ''}
          value={order}
          onChange={(value) => navigate({ order: value === 'asc' ? 'asc' : 'desc', page: 1 })}
          data={[
            { value: 'desc', label: 'Newest' },
            { value: 'asc', label: 'Oldest' },
          ]}
        />
        <ViewMenu />
        {canWrite && <ImportButton />}
      </Group>
      {canWrite && (
        <Button
          ref={newUserButton}
          className="toolbar-new"
          leftSection={<IconPlus size={16} />}
          onClick={() => navigate({ user: 'new' })}
        >
          New user
        </Button>
      )}
    </div>
  );
}

function NewUsersButton({ count, onClick }: { count: number; onClick: () => void }) {
  useRestoredFocus(usersTitle);
  return (
    <Button size="compact-sm" variant="light" radius="xl" onClick={onClick}>
      {count < MAX_NEW_USERS ? count : `${MAX_NEW_USERS.toLocaleString('en')} or more`} new: show
    </Button>
  );
}

type SearchProps = { q: string; by: OwnField | undefined };

function SearchField({ q, by }: SearchProps) {
  const [hasSingleKeys] = useSingleKeys();
  const isWide = useMediaQuery('(min-width: 48.01em)', true, { getInitialValueInEffect: false });
  const [text, setText] = useState(q);
  const uniqueFields = listUniqueFields();
  const isShort = by === undefined && isTooShort(text.trim());
  // The address changes without typing when the browser goes back.
  useEffect(() => setText((typed) => (typed.trim() === q ? typed : q)), [q]);
  const search = useDebouncedCallback((value: string) => {
    typedSearch.set(() => null);
    // Back leads to the page where the search began.
    navigate({ q: value.trim(), page: 1, after: undefined }, { replace: q !== '' });
  }, DEBOUNCE_MS);
  useEffect(() => {
    const typed = typedSearch.get();
    if (typed === null) return;
    search(typed);
    search.flush();
  }, [search]);
  /** Returns whether a text names one user, who is opened then. */
  const openNamed = (value: string): boolean => {
    const id = by ? undefined : findId(value);
    if (id) {
      search.cancel();
      typedSearch.set(() => null);
      setText(q);
      navigate({ user: id });
    }
    return id !== undefined;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event)) return;
    if (event.key === 'Escape') event.currentTarget.blur();
    else if (event.key === 'ArrowDown') focusFirst(firstUserLink);
    else if (event.key === 'Enter') {
      search.flush();
      if (!isShort) openFirst(text, by !== undefined);
    } else return;
    if (event.key === 'ArrowDown') event.preventDefault();
  };
  return (
    <search className="toolbar-search" data-by={uniqueFields.length > 0 || undefined}>
      {uniqueFields.length > 0 && (
        <NativeSelect
          aria-label="Search in"
          value={by?.name ?? ''}
          onChange={({ currentTarget }) =>
            navigate({ by: currentTarget.value || undefined, page: 1, after: undefined }, { replace: true })
          }
          data={[
            { value: '', label: 'Name, email' },
            ...uniqueFields.map(({ name }) => ({ value: name, label: labelMember(name) })),
          ]}
        />
      )}
      <TextInput
        ref={searchField}
        id="search"
        type="search"
        aria-label={by ? `Find the user with this ${labelMember(by.name)}` : 'Search users by name or address'}
        aria-describedby={by ? undefined : 'search-scope'}
        placeholder={by ? 'The whole value' : isWide && uniqueFields.length === 0 ? 'Search name or email' : 'Search'}
        leftSection={<IconSearch size={16} />}
        aria-keyshortcuts={hasSingleKeys ? '/' : undefined}
        rightSection={text ? isShort && <SearchHint /> : hasSingleKeys && <Kbd size="xs">/</Kbd>}
        rightSectionWidth={isShort ? '8.25rem' : undefined}
        rightSectionPointerEvents="none"
        maxLength={by ? MAX_VALUE_LENGTH : MAX_LENGTH}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          if (openNamed(value)) return;
          setText(value);
          typedSearch.set(() => value);
          search(value);
        }}
        onPaste={({ clipboardData }) => {
          const pasted = clipboardData.getData('text');
          if (!by && isAddress(pasted)) openOwner(pasted);
        }}
        onKeyDown={onKeyDown}
        onBlur={search.flush}
      />
      {!by && (
        <p id="search-scope" className="search-scope">
          Finds names and addresses by how their words begin: <b>ada ki</b>, <b>king</b>, <b>ada@</b>. A whole address
          or id opens its user.
        </p>
      )}
      {!isShort && q !== '' && (
        <VisuallyHidden role="status">
          Showing users that match <bdi>{q}</bdi>
        </VisuallyHidden>
      )}
    </search>
  );
}

/** Returns whether somebody has the address, and opens that user. */
async function openOwner(address: string): Promise<boolean> {
  // The search shows what is wrong with the service, too.
  const user = await findOwner(address).catch(() => undefined);
  if (user) navigate({ user });
  return user !== undefined;
}

/** Opens whom a whole address names, or else the first match. */
async function openFirst(text: string, isUnique: boolean): Promise<void> {
  if (!isUnique && isAddress(text) && (await openOwner(text))) return;
  wantedFirst.set(() => text.trim());
}

const SearchHint = () => (
  <Text size="xs" c="dimmed" role="status">
    One more character
  </Text>
);
