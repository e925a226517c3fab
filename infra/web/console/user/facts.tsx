import { Badge, DataList, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import { Address } from '../address.tsx';
import { useGroupNames } from '../groups/group-names.ts';
import { findField, formatValue, labelMember, type Value } from '../own-fields.ts';

export const Facts = ({ children }: { children: ReactNode }) => (
  <DataList labelWidth="5rem" gap={8}>
    {children}
  </DataList>
);

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <DataList.Item>
    <DataList.ItemLabel>{name}</DataList.ItemLabel>
    <DataList.ItemValue miw={0} style={{ whiteSpace: 'pre-line' }}>
      {children}
    </DataList.ItemValue>
  </DataList.Item>
);

export function MemberFact({ member, value }: { member: string; value: Value | undefined }) {
  const field = findField(member);
  useGroupNames(field?.type === 'membership' ? value : null);
  const text = formatValue(field, value);
  const isChoice = field?.type === 'boolean' || field?.enum !== undefined;
  return (
    <Fact name={labelMember(member)}>
      {isChoice && text ? (
        <Choices field={field} values={[value ?? []].flat()} />
      ) : (
        <Address value={text || 'Not set'} />
      )}
    </Fact>
  );
}

const Choices = ({ field, values }: { field: OwnField; values: Value[] }) => (
  <Group gap={6}>
    {values.map((value) => (
      <Badge key={String(value)} variant={value === false ? 'default' : 'light'}>
        {formatValue(field, value)}
      </Badge>
    ))}
  </Group>
);
