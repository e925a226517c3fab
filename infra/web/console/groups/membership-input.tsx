import { Anchor, CloseButton, Group, Input, Stack } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import { usePassedFocus } from '../focus.ts';
import { listRoles, type Membership, nameGroup, readMemberships, type Value } from '../own-fields.ts';
import { linkTo } from '../route.ts';
import { useGroupNames } from './group-names.ts';
import { RoleSelect } from './role-select.tsx';
import { GroupSelect } from './search-select.tsx';

type Props = {
  field: OwnField;
  value: Value | undefined;
  label: ReactNode;
  description: string | undefined;
  error: ReactNode;
  onChange: (value: Value) => void;
};

/** Edits the memberships of a user, with the other values of the form. */
export function MembershipInput({ field, value, label, description, error, onChange }: Props) {
  const memberships = readMemberships(value);
  const { maxItems = 0 } = field;
  const area = useRef<HTMLDivElement>(null);
  useGroupNames(value);
  const change = (id: string, changed: Membership[]) =>
    onChange(memberships.flatMap((each) => (each.id === id ? changed : [each])));
  return (
    <Input.Wrapper label={label} labelElement="div" description={description} error={error}>
      <Stack ref={area} tabIndex={-1} gap={6} mt={6} role="group" aria-label="Groups">
        {memberships.map(({ id, role }) => (
          <MembershipRow
            key={id}
            id={id}
            role={role}
            area={area}
            onRole={(chosen) => change(id, [{ id, role: chosen }])}
            onRemove={() => change(id, [])}
          />
        ))}
        {memberships.length < maxItems && (
          <GroupSelect
            // Clears the typed text after a choice.
            key={memberships.length}
            label="Add to a group"
            chosen={null}
            excluded={memberships.map(({ id }) => id)}
            onChoose={(group) => group && onChange([...memberships, { id: group.value, role: listRoles()[0] ?? '' }])}
          />
        )}
      </Stack>
    </Input.Wrapper>
  );
}

type RowProps = Membership & {
  area: { readonly current: HTMLElement | null };
  onRole: (role: string) => void;
  onRemove: () => void;
};

function MembershipRow({ id, role, area, onRole, onRemove }: RowProps) {
  const remove = usePassedFocus(area);
  const name = nameGroup(id);
  return (
    <Group gap="xs" wrap="nowrap">
      <Anchor flex={1} miw={0} size="sm" {...linkTo({ groups: id })}>
        <bdi>{name}</bdi>
      </Anchor>
      <RoleSelect size="xs" flex="none" aria-label={`Role in ${name}`} value={role} onChoose={onRole} />
      <CloseButton ref={remove} aria-label={`Remove from ${name}`} onClick={onRemove} />
    </Group>
  );
}
