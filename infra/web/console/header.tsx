import { Anchor, Badge, Box, Button, Group, Kbd, Popover, Stack, Text } from '@mantine/core';
import { IconPlug } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import logo from '../logo.svg';
import { AccountMenu } from './account-menu.tsx';
import { accessToken } from './auth/access-token.ts';
import { useCanWrite } from './auth/token.ts';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { CopyText } from './copy-text.tsx';
import { overlay, useModKey } from './keys.ts';
import { findMembershipField } from './own-fields.ts';
import { linkTo, useRoute } from './route.ts';
import type { ConsoleSettings } from './settings.ts';
import { useStore } from './store.ts';

export function Header({ settings }: { settings: ConsoleSettings }) {
  const needsToken = settings.auth.kind !== 'none';
  const hasToken = useStore(accessToken) !== undefined;
  const canWrite = useCanWrite();
  const hasAccount = hasToken || !needsToken;
  return (
    <header className="header">
      <Anchor href="/" aria-label="User Management" display="flex" c="inherit" fw={650} underline="never" style={BRAND}>
        <img src={logo} alt="" width={24} height={24} />
        <Box component="span" visibleFrom="sm">
          User Management
        </Box>
      </Anchor>
      {hasAccount ? <Pages /> : <Links links={settings.links} />}
      <Group gap={6} wrap="nowrap">
        {needsToken && hasToken && !canWrite && <Badge variant="default">Read only</Badge>}
        {/* The palette searches users, which needs a token. */}
        {hasAccount && <PaletteButton />}
        <Connect settings={settings} />
        {/* On phones, the account menu contains this button. */}
        <Box {...(hasAccount && { visibleFrom: 'sm' })}>
          <ColorSchemeButton />
        </Box>
        {hasAccount && <AccountMenu needsToken={needsToken} links={settings.links} />}
      </Group>
    </header>
  );
}

/** Only a service with groups has several pages. */
function Pages() {
  const { groups } = useRoute();
  if (!findMembershipField()) return <Box flex={1} />;
  return (
    <Group component="nav" aria-label="Main" flex={1} gap="sm" fz="sm">
      <PageLink label="Users" page={undefined} isCurrent={!groups} />
      <PageLink label="Groups" page="all" isCurrent={Boolean(groups)} />
    </Group>
  );
}

type PageLinkProps = { label: string; page: string | undefined; isCurrent: boolean };

function PageLink({ label, page, isCurrent }: PageLinkProps) {
  return (
    <Anchor
      {...linkTo({ groups: page, user: undefined })}
      inherit
      c={isCurrent ? 'inherit' : 'dimmed'}
      fw={isCurrent ? 600 : 400}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {label}
    </Anchor>
  );
}

/** After the sign-in, the account menu contains these links. */
const Links = ({ links }: Pick<ConsoleSettings, 'links'>) => (
  <Group component="nav" aria-label="Pages of the service" flex={1} miw={0} gap="sm" fz="sm">
    {links.map(({ label, path }) => (
      <Anchor key={path} href={path} inherit c="dimmed">
        {label}
      </Anchor>
    ))}
  </Group>
);

const BRAND = { gap: 10, whiteSpace: 'nowrap' } as const;

function PaletteButton() {
  const mod = useModKey();
  return (
    <Button
      visibleFrom="sm"
      variant="default"
      size="xs"
      aria-keyshortcuts={mod === 'Ctrl' ? 'Control+K' : 'Meta+K'}
      rightSection={
        <Kbd size="xs" visibleFrom="md">
          {mod} K
        </Kbd>
      }
      onClick={() => overlay.set(() => 'palette')}
    >
      Commands
    </Button>
  );
}

const APIS = [
  { label: 'REST, enveloped', path: '/api/users' },
  { label: 'REST, bare, with page numbers', path: '/v1/users' },
  { label: 'GraphQL and subscriptions', path: '/graphql' },
];

const Connect = ({ settings: { data } }: { settings: ConsoleSettings }) => (
  <Popover position="bottom-end" width="min(26rem, 92vw)" shadow="md" withinPortal trapFocus>
    <Popover.Target>
      <Button variant="default" size="xs" px={8} aria-label="Connect">
        <IconPlug size={15} />
        <Text span inherit visibleFrom="md" ml={6}>
          Connect
        </Text>
      </Button>
    </Popover.Target>
    <Popover.Dropdown aria-label="API URLs">
      <Stack gap="sm">
        {APIS.map(({ label, path }) => (
          <Named key={path} label={label}>
            <CopyText text={`${location.origin}${path}`} what={`the address of ${path}`} />
          </Named>
        ))}
        {data && (
          <Named label="Data">
            <code>{data}</code>
          </Named>
        )}
      </Stack>
    </Popover.Dropdown>
  </Popover>
);

const Named = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    {children}
  </div>
);
