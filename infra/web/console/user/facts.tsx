import { DataList } from '@mantine/core';
import type { ReactNode } from 'react';
import { Address } from '../address.tsx';
import { formatMember, labelMember, type Value } from '../own-fields.ts';

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

export const MemberFact = ({ member, value }: { member: string; value: Value | undefined }) => (
  <Fact name={labelMember(member)}>
    <Address value={formatMember(member, value) || 'Not set'} />
  </Fact>
);
