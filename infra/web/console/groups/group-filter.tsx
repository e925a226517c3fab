import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { listRoles, nameGroup } from '../own-fields.ts';
import { type Choice, GroupSelect } from './search-select.tsx';

type Props = { group: string | undefined; role: string | undefined };

/** Inputs `group` and `role` of a form. */
export function GroupFilter({ group, role }: Props) {
  const [chosen, choose] = useState<Choice | null>(
    group === undefined ? null : { value: group, label: nameGroup(group) },
  );
  return (
    <>
      <GroupSelect name="group" label="Group" autoFocus chosen={chosen} onChoose={choose} />
      <NativeSelect
        name="role"
        label="Role"
        defaultValue={role}
        data={[{ value: '', label: 'Any role' }, ...listRoles()]}
      />
    </>
  );
}
