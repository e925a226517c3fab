import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles/layout.css';
import './styles/panel.css';
import './styles/print.css';
import { Button, Center, MantineProvider, Stack, Text, Title } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { reportNotSignedIn, resumeSignIn } from './auth/sign-in.ts';
import { authSettings } from './auth/token.ts';
import { sendDeletions } from './deletions.ts';
import { notify } from './notices.tsx';
import { ownFields } from './own-fields.ts';
import { queryClient } from './query-client.ts';
import { type ConsoleSettings, consoleSettings } from './settings.ts';
import { cssVariablesResolver, theme } from './theme.ts';

async function loadSettings(): Promise<ConsoleSettings> {
  // Browsers tell programs nothing about why they got no response.
  const response = await fetch('/console.json').catch(() => undefined);
  if (!response?.ok)
    throw new Error(
      `The settings of the console cannot be loaded: ${response?.status ?? 'the service cannot be reached'}`,
    );
  return consoleSettings.parse(await response.json());
}

const FatalError = ({ error }: { error: Error }) => (
  <Center component="main" h="100dvh" p="lg">
    <Stack align="center">
      <Title size="h3">The console cannot be shown</Title>
      <Text>{error.message}</Text>
      <Button onClick={() => location.reload()}>Reload</Button>
    </Stack>
  </Center>
);

/** React logs the error itself, which tells people nothing. */
const BROKEN = 'A part of the page has failed. What you have typed is kept.';

/** React would leave an empty page after an error of a component. */
class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError = (error: Error) => ({ error });

  override render(): ReactNode {
    const { error } = this.state;
    return error ? <FatalError error={new Error(BROKEN)} /> : this.props.children;
  }
}

/** A deployment may have removed the files of the version that the page is from, or the network has failed. */
function reportMissingPart(): void {
  notify({
    message: 'This part of the page cannot be loaded: there may be a newer version. What was typed is kept.',
    tone: 'error',
    action: { label: 'Reload', run: () => location.reload() },
  });
}

async function start() {
  const settings = await loadSettings();
  ownFields.set(() => settings.fields);
  authSettings.set(() => settings.auth);
  if (settings.auth.kind === 'sign-in') await resumeSignIn(settings.auth).catch(reportNotSignedIn);
  return settings;
}

addEventListener('pagehide', sendDeletions);
addEventListener('vite:preloadError', reportMissingPart);

const element = document.getElementById('console');
if (element) {
  const root = createRoot(element);
  const render = (content: ReactNode) =>
    root.render(
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        // All variables are made when the page starts, instead of loaded.
        deduplicateCssVariables={false}
      >
        <ErrorBoundary>
          <QueryClientProvider client={queryClient}>{content}</QueryClientProvider>
        </ErrorBoundary>
      </MantineProvider>,
    );
  start().then(
    (settings) => render(<App settings={settings} />),
    (error: Error) => render(<FatalError error={error} />),
  );
}
