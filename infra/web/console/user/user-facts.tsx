import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { User } from '../api/user-details.ts';
import { formatAge, formatTime } from '../format.ts';
import { CopyText } from '../shell/copy-text.tsx';

/** What GraphQL and the headers of REST tell besides name and address. */
export const UserFacts = ({ user }: { user: User }) => (
  <dl className="facts">
    <Fact name="Version">{user.version}</Fact>
    <Fact name="Created">
      <Time value={user.createdAt} />
    </Fact>
    <Fact name="Updated">
      <Time value={user.updatedAt} />
    </Fact>
    <Fact name="Id">
      <CopyText text={user.id} label="Copy the id" />
    </Fact>
  </dl>
);

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Text component="dt" size="sm" c="dimmed">
      {name}
    </Text>
    <dd>{children}</dd>
  </div>
);

const Time = ({ value }: { value: string }) => (
  <time dateTime={value}>
    {formatTime(new Date(value))} <span className="age">({formatAge(new Date(value))})</span>
  </time>
);
