import { ActionIcon, Group, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { LOGO_URL } from '../../logo.ts';
import { MoonIcon, SunIcon } from '../icons.tsx';
import type { ConsoleSettings } from '../settings.ts';
import { Connect } from './connect.tsx';
import { SignInButton } from './sign-in-button.tsx';
import { TokenField } from './token-field.tsx';

export const Header = ({ settings }: { settings: ConsoleSettings }) => (
  <header className="header">
    <a className="brand" href="/" aria-label="User Management">
      <img src={LOGO_URL} alt="" width={24} height={24} />
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
      {settings.auth.kind === 'token' && <TokenField />}
      {settings.auth.kind === 'sign-in' && <SignInButton settings={settings.auth} />}
      <Connect settings={settings} />
      <ColorSchemeButton />
    </Group>
  </header>
);

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
      {isDark ? <SunIcon /> : <MoonIcon />}
    </ActionIcon>
  );
}
