import { Button, Group, Input, Modal, Paper, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Address } from '../address.tsx';
import { findFormError } from '../api/errors.ts';
import type { User, UserInput } from '../api/users.ts';
import { panelTitle, useRestoredFocus } from '../focus.ts';
import { useGroupNames } from '../groups/group-names.ts';
import { formatMember, isSameValue, labelMember, listMembers, type Value } from '../own-fields.ts';
import { PendingButton } from '../pending-button.tsx';
import { type Draft, findChangedFields, isChoice, isSaved, type Save } from './drafts.ts';
import { FormError, SlowHint } from './form-messages.tsx';
import { submitButton } from './user-form.tsx';

type Props = {
  draft: Draft;
  user: User;
  save: UseMutationResult<User, Error, Save>;
  onKeep: () => void;
  onCancel: () => void;
};

export function ConflictDialog({ draft, user, save, onKeep, onCancel }: Props) {
  const { base, input } = draft;
  const { mutate, isPending, variables, error } = save;
  /** Members that get the draft's value. */
  const [mine, setMine] = useState(() => Object.keys(findChangedFields(base, input)));
  useRestoredFocus(submitButton, panelTitle);
  // During a save, shows the version that it replaces. The change feed may deliver the saved version before the
  // response.
  const current = isPending ? variables.base : user;
  const chosen = Object.fromEntries(
    listMembers().map((member) => [member, (mine.includes(member) ? input : current)[member]]),
  ) as UserInput;
  return (
    <Modal opened onClose={onCancel} title="This user has changed since you opened it" size="lg" centered>
      <Stack gap="md">
        <Text size="sm">
          You opened version {base.version}; it is at version {current.version} now. Choose what to keep.
        </Text>
        {listMembers().map((member) => (
          <Choice
            key={member}
            member={member}
            base={base}
            mine={input}
            theirs={current}
            isMine={mine.includes(member)}
            onChange={(isMine) => setMine([...mine.filter((each) => each !== member), ...(isMine ? [member] : [])])}
          />
        ))}
        <FormError message={isChoice(draft, variables) ? findFormError(error, []) : undefined} />
        <SlowHint isPending={isPending} />
        <Group justify="flex-end">
          <Button variant="default" disabled={isPending} onClick={onKeep}>
            Keep version {current.version}
          </Button>
          <PendingButton
            disabled={isSaved(chosen, current)}
            isPending={isPending}
            onClick={() => mutate({ draft, base: current, input: chosen })}
          >
            Save as version {current.version + 1}
          </PendingButton>
        </Group>
      </Stack>
    </Modal>
  );
}

type ChoiceProps = {
  member: string;
  base: UserInput;
  mine: UserInput;
  theirs: Save['base'];
  isMine: boolean;
  onChange: (isMine: boolean) => void;
};

/** Also shows equal names and addresses, because they identify the user. */
function Choice({ member, base, mine, theirs, isMine, onChange }: ChoiceProps) {
  const isAlwaysShown = member === 'name' || member === 'email';
  if (isSameValue(mine[member], theirs[member]))
    return isAlwaysShown && <FixedValue member={member} value={mine[member]} note="the same in both" />;
  return (
    <ValueChoice
      member={member}
      options={[
        { value: mine[member], description: isSameValue(mine[member], base[member]) ? 'Before' : 'Yours' },
        { value: theirs[member], description: `Saved as version ${theirs.version}` },
      ]}
      chosen={isMine ? 0 : 1}
      onChange={(chosen) => onChange(chosen === 0)}
    />
  );
}

/** An empty name or address can only be in a draft, so it is not shown as “Not set”. */
function ShownValue({ member, value }: { member: string; value: Value | undefined }) {
  useGroupNames(member === 'groups' ? value : null);
  return (
    <span style={{ whiteSpace: 'pre-line' }}>
      <Address value={formatMember(member, value) || (member === 'name' || member === 'email' ? '' : 'Not set')} />
    </span>
  );
}

type FixedValueProps = { member: string; value: Value | undefined; note: string };

export const FixedValue = ({ member, value, note }: FixedValueProps) => (
  <Input.Wrapper label={labelMember(member)} labelElement="div">
    <Text size="sm">
      <ShownValue member={member} value={value} /> ({note})
    </Text>
  </Input.Wrapper>
);

type ValueChoiceProps = {
  member: string;
  options: { value: Value | undefined; description: string }[];
  chosen: number;
  onChange: (chosen: number) => void;
};

export const ValueChoice = ({ member, options, chosen, onChange }: ValueChoiceProps) => (
  <Radio.Group label={labelMember(member)} value={String(chosen)} onChange={(at) => onChange(Number(at))}>
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={6}>
      {options.map(({ value, description }, at) => (
        <Paper key={description} withBorder p="sm" miw={0} style={{ overflowWrap: 'anywhere' }}>
          <Radio value={String(at)} label={<ShownValue member={member} value={value} />} description={description} />
        </Paper>
      ))}
    </SimpleGrid>
  </Radio.Group>
);
