import {
  ActionIcon,
  Badge,
  Button,
  Group,
  Kbd,
  Popover,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { IconMoon, IconPlug, IconSun } from '@tabler/icons-react';
import logo from '../logo.svg';
import { accessToken } from './auth/access-token.ts';
import { signOut } from './auth/sign-in.ts';
import { useCanWrite } from './auth/token.ts';
import { CopyText } from './copy-text.tsx';
import { overlay, useModKey } from './keys.ts';
import type { ConsoleSettings } from './settings.ts';
import { useStore } from './store.ts';

export const Header = ({ settings }: { settings: ConsoleSettings }) => (
  <header className="header">
    <a className="brand" href="/" aria-label="User Management">
      <img src={logo} alt="" width={24} height={24} />
      <span className="brand-name">User Management</span>
    </a>
    <nav className="header-links" aria-label="Pages of the service">
      {settings.links.map(({ label, path }) => (
        <a key={path} href={path}>
          {label}
        </a>
      ))}
    </nav>
    <Group gap={6} wrap="nowrap">
      <Account kind={settings.auth.kind} />
      <PaletteButton kind={settings.auth.kind} />
      <Connect settings={settings} />
      <ColorSchemeButton />
    </Group>
  </header>
);

/** The palette finds users, and belongs to those who may see them. */
function PaletteButton({ kind }: { kind: ConsoleSettings['auth']['kind'] }) {
  const mod = useModKey();
  const token = useStore(accessToken);
  if (kind !== 'none' && !token) return null;
  return (
    <Button
      visibleFrom="sm"
      variant="default"
      size="xs"
      aria-keyshortcuts={mod === 'Ctrl' ? 'Control+K' : 'Meta+K'}
      rightSection={<Kbd size="xs">{mod} K</Kbd>}
      onClick={() => overlay.set(() => 'palette')}
    >
      Commands
    </Button>
  );
}

function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  const label = isDark ? 'Use light colors' : 'Use dark colors';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      title={label}
      aria-label={label}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  );
}

/** Those who are signed out sign in below. */
function Account({ kind }: { kind: ConsoleSettings['auth']['kind'] }) {
  const token = useStore(accessToken);
  const isReader = !useCanWrite();
  if (!token || kind === 'none') return null;
  return (
    <>
      {isReader && <Badge variant="default">Read only</Badge>}
      <Button variant="default" size="xs" onClick={signOut}>
        Sign out
      </Button>
    </>
  );
}

const APIS = [
  { label: 'REST, enveloped', path: '/api/users' },
  { label: 'REST, bare, with page numbers', path: '/v1/users' },
  { label: 'GraphQL and subscriptions', path: '/graphql' },
];

/** Shows the addresses of the APIs, which can be copied into other clients. */
const Connect = ({ settings: { data } }: { settings: ConsoleSettings }) => (
  <Popover position="bottom-end" width="min(26rem, 92vw)" shadow="md" withinPortal trapFocus>
    <Popover.Target>
      <Button className="connect" variant="default" size="xs" leftSection={<IconPlug size={15} />} aria-label="Connect">
        <span>Connect</span>
      </Button>
    </Popover.Target>
    <Popover.Dropdown aria-label="Addresses of the APIs">
      <Stack gap="sm">
        {APIS.map(({ label, path }) => (
          <div key={path}>
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <CopyText text={`${location.origin}${path}`} label={`Copy the address of ${path}`} />
          </div>
        ))}
        {data && (
          <div>
            <Text size="sm" c="dimmed">
              Data
            </Text>
            <code>{data}</code>
          </div>
        )}
      </Stack>
    </Popover.Dropdown>
  </Popover>
);
