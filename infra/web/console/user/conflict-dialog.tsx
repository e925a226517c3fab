import { Button, Group, Modal, Paper, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Address } from '../address.tsx';
import { findFormError } from '../api/errors.ts';
import type { SavedUser, UserInput } from '../api/users.ts';
import { panelTitle, type Target, useRestoredFocus } from '../focus.ts';
import { formatMember, isSameValue, labelMember, listMembers, ownFields } from '../own-fields.ts';
import { type Draft, findChangedFields, isChoice, isSaved, type Save } from './drafts.ts';
import { FormError } from './fields.tsx';

type Side = 'mine' | 'theirs';

type Props = {
  draft: Draft;
  user: SavedUser;
  save: UseMutationResult<SavedUser, Error, Save>;
  saveButton: Target;
  onKeep: () => void;
  onCancel: () => void;
};

/** Shows the version that was saved elsewhere beside one's changes, and saves a choice of both. */
export function ConflictDialog({ draft, user, save, saveButton, onKeep, onCancel }: Props) {
  const { base, input } = draft;
  const mine = findChangedFields(base, input);
  const [sides, setSides] = useState<Record<string, Side>>(
    Object.fromEntries(Object.keys(mine).map((member) => [member, 'mine'])),
  );
  const { mutate, isPending, variables, error } = save;
  useRestoredFocus(saveButton, panelTitle);
  // The change feed may show the saved choice before the answer arrives.
  const current = isPending ? variables.base : user;
  const chosen = Object.fromEntries(
    listMembers().map((member) => [member, (sides[member] === 'mine' ? input : current)[member]]),
  ) as UserInput;
  return (
    <Modal opened onClose={onCancel} title="This user has changed since you opened it" size="lg" centered>
      <Stack gap="md">
        <Text size="sm">
          You opened version {base.version}; it is at version {current.version} now. Choose what to keep.
        </Text>
        {listShownMembers(input, current).map((member) => (
          <ConflictField
            key={member}
            label={labelMember(member)}
            mine={describeMember(member, input)}
            theirs={describeMember(member, current)}
            theirVersion={current.version}
            side={sides[member] ?? 'theirs'}
            onChange={(side) => setSides({ ...sides, [member]: side })}
          />
        ))}
        <FormError message={isChoice(draft, variables) ? findFormError(error, []) : undefined} />
        <Group justify="flex-end">
          <Button variant="default" disabled={isPending} onClick={onKeep}>
            Keep version {current.version}
          </Button>
          <Button
            disabled={isSaved(chosen, current)}
            loading={isPending}
            onClick={() => mutate({ draft, base: current, input: chosen })}
          >
            Save as version {current.version + 1}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Most of the own fields are usually the same in both, and left out. */
function listShownMembers(input: UserInput, current: UserInput): string[] {
  const own = ownFields.get().map(({ name }) => name);
  return ['name', 'email', ...own.filter((name) => !isSameValue(input[name], current[name]))];
}

/** Name and address are never unset, but may be empty in a draft. */
const describeMember = (member: string, user: UserInput): string =>
  formatMember(member, user[member]) || (member === 'name' || member === 'email' ? '' : 'Not set');

type FieldProps = {
  label: string;
  mine: string;
  theirs: string;
  theirVersion: number;
  side: Side;
  onChange: (side: Side) => void;
};

function ConflictField({ label, mine, theirs, theirVersion, side, onChange }: FieldProps) {
  if (mine === theirs)
    return (
      <div>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Text>
          <Address value={mine} /> (the same in both)
        </Text>
      </div>
    );
  return (
    <Radio.Group label={label} value={side} onChange={(value) => onChange(value === 'mine' ? 'mine' : 'theirs')}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={6}>
        <Option value="mine" title="Yours" text={mine} />
        <Option value="theirs" title={`Saved as version ${theirVersion}`} text={theirs} />
      </SimpleGrid>
    </Radio.Group>
  );
}

const Option = ({ value, title, text }: { value: Side; title: string; text: string }) => (
  <Paper withBorder p="sm">
    <Radio value={value} label={<Address value={text} />} description={title} />
  </Paper>
);
