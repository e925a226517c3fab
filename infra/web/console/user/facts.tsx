import { DataList, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import { Address } from '../address.tsx';
import { Choices } from '../choices.tsx';
import { CopyText } from '../copy-text.tsx';
import { useGroupNames } from '../groups/group-names.ts';
import { findField, formatValue, labelMember, listLogins, type Value } from '../own-fields.ts';

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
  if (field?.subject && text) return <Logins field={field} logins={listLogins(value).map(String)} />;
  const isChoice = field?.type === 'boolean' || field?.enum !== undefined;
  return (
    <Fact name={labelMember(member)}>
      {isChoice && text ? <Choices field={field} value={value} /> : <Address value={text || 'Not set'} />}
    </Fact>
  );
}

const Logins = ({ field, logins }: { field: OwnField; logins: string[] }) => (
  <Fact name={labelMember(field.name)}>
    <Stack gap={4}>
      {logins.map((login) => (
        <CopyText key={login} text={login} what={`the login ${login}`} />
      ))}
    </Stack>
  </Fact>
);
