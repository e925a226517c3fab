import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isSearch, listUsers } from '../api/users.ts';
import { readMemberships } from '../own-fields.ts';
import { listGroups } from './groups.ts';

export type Choice = { value: string; label: string; disabled?: boolean };

type LoadChoices = (text: string, signal: AbortSignal) => Promise<Choice[]>;

type Props = Pick<SelectProps, 'label' | 'description' | 'error' | 'name' | 'placeholder' | 'size' | 'flex' | 'miw'> & {
  chosen: Choice | null;
  /** Ids that are not offered. */
  excluded?: readonly string[];
  autoFocus?: boolean;
  onChoose: (choice: Choice | null) => void;
};

const MAX_CHOICES = 20;
const DELAY_MS = 150;

/** Finds users like the search of the list, also by a whole address. Disables members of the group. */
export const UserSelect = ({ group, ...props }: Props & { group: string }) => (
  <SearchSelect {...props} kind="user" load={(text, signal) => findUsers(text, group, signal)} />
);

export const GroupSelect = (props: Props) => <SearchSelect {...props} kind="group" load={findGroups} />;

async function findUsers(text: string, group: string, signal: AbortSignal): Promise<Choice[]> {
  if (!isSearch(text)) return [];
  const { users } = await listUsers({ q: text, filter: {}, limit: MAX_CHOICES }, signal);
  return users.map(({ id, name, email, groups }) => {
    const isMember = readMemberships(groups).some((membership) => membership.id === group);
    return { value: id, label: `${name} (${email})${isMember ? ', a member' : ''}`, disabled: isMember };
  });
}

/** Names of groups are not unique. */
async function findGroups(text: string, signal: AbortSignal): Promise<Choice[]> {
  const { groups } = await listGroups(text, { limit: MAX_CHOICES, signal });
  return groups.map(({ id, name, externalId }) => ({
    value: id,
    label: externalId ? `${name} (${externalId})` : name,
  }));
}

type SearchProps = Props & { kind: 'user' | 'group'; load: LoadChoices };

function SearchSelect({ kind, load, chosen, excluded = [], onChoose, ...input }: SearchProps) {
  const [text, setText] = useState('');
  const [typed] = useDebouncedValue(text === chosen?.label ? '' : text.trim(), DELAY_MS);
  const { data, error } = useQuery({
    queryKey: ['choices', kind, typed],
    queryFn: ({ signal }) => load(typed, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const offered = (data ?? []).filter(({ value }) => value !== chosen?.value && !excluded.includes(value));
  return (
    <Select
      {...input}
      searchable
      clearable
      data={chosen ? [chosen, ...offered] : offered}
      // The service has already filtered the choices.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={chosen?.value ?? null}
      onChange={(_, choice) => onChoose(choice)}
      nothingFoundMessage={
        error?.message ?? (kind === 'user' && !isSearch(text.trim()) ? 'Type a name or address' : `No ${kind} matches`)
      }
      clearButtonProps={{ 'aria-label': `Clear the ${kind}` }}
      // Arrow keys scroll the listbox, not a scroll area around it.
      withScrollArea={false}
      styles={{ options: { maxHeight: '15rem', overflowY: 'auto' } }}
      // Outside of a portal, a click does not close the dialog or form around it.
      comboboxProps={{ withinPortal: false, floatingStrategy: 'fixed' }}
      autoComplete="off"
    />
  );
}
