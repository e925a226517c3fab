import { Button, Menu, Text } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import { useIsDeveloper } from './activity/activity-dock.tsx';
import { accessToken } from './auth/access-token.ts';
import { describePerson, readClaims } from './auth/claims.ts';
import { signOut } from './auth/sign-in.ts';
import { type Right, useHasRight } from './auth/token.ts';
import { useOtherColors } from './color-scheme-button.tsx';
import type { ConsoleSettings } from './settings.ts';
import { useStore } from './store.ts';

type Props = { needsToken: boolean; links: ConsoleSettings['links'] };

export function AccountMenu({ needsToken, links }: Props) {
  const token = useStore(accessToken);
  const [isDeveloper, setDeveloper] = useIsDeveloper();
  const colors = useOtherColors();
  const claims = token && readClaims(token);
  const name = needsToken ? (claims && describePerson(claims)) || 'Signed in' : 'No sign-in needed';
  return (
    <Menu position="bottom-end" width="min(18rem, 92vw)">
      <Menu.Target>
        <Button variant="default" size="xs" px={8} aria-label={`Account: ${name}`} title={name}>
          <IconUser size={15} />
          <Text span inherit visibleFrom="md" ml={6}>
            Account
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text fw={600} c="var(--mantine-color-text)" style={{ overflowWrap: 'anywhere' }}>
            <bdi>{name}</bdi>
          </Text>
          <Text size="sm">May read users</Text>
          <RightText right="write" label="change users" />
          <RightText right="history" label="read histories" />
          <RightText right="erase" label="erase people" />
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item hiddenFrom="sm" closeMenuOnClick={false} onClick={colors.toggle}>
          {colors.label}
        </Menu.Item>
        <Menu.Label>For developers</Menu.Label>
        {links.map(({ label, path }) => (
          <Menu.Item key={path} component="a" href={path}>
            {label}
          </Menu.Item>
        ))}
        <Menu.CheckboxItem checked={isDeveloper} closeMenuOnClick={false} onChange={setDeveloper}>
          Show requests and read units
        </Menu.CheckboxItem>
        {needsToken && token && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={signOut}>Sign out</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function RightText({ right, label }: { right: Right; label: string }) {
  const may = useHasRight(right);
  return (
    <Text size="sm">
      {may ? 'May' : 'May not'} {label}
    </Text>
  );
}
