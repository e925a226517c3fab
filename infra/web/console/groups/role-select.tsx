import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { listRoles } from '../own-fields.ts';

type Props = { onChoose: (role: string) => void } & Omit<NativeSelectProps, 'data' | 'onChange'>;

export const RoleSelect = ({ onChoose, ...props }: Props) => (
  <NativeSelect {...props} data={[...listRoles()]} onChange={({ currentTarget }) => onChoose(currentTarget.value)} />
);
