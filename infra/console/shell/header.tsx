import { ActionIcon, Group, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { MoonIcon, SunIcon } from '../icons.tsx';
import type { ConsoleSettings } from '../settings.ts';
import { Connect } from './connect.tsx';
import { SignInButton } from './sign-in-button.tsx';
import { TokenField } from './token-field.tsx';

export const Header = ({ settings }: { settings: ConsoleSettings }) => (
  <header className="header">
    <a className="brand" href="/" aria-label="User Management">
      <Logo />
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

const Logo = () => (
  <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
    <rect width="24" height="24" rx="6" fill="var(--mantine-color-indigo-7)" />
    <circle cx="12" cy="9" r="3.6" fill="#fff" />
    <path d="M5.5 19a6.5 5.6 0 0 1 13 0z" fill="#fff" />
  </svg>
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
