import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './console.css';
import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { accessToken, dropExpiredToken, ignoreTokens, takeOverTab } from './auth/access-token.ts';
import { reportNotSignedIn, resumeSignIn } from './auth/sign-in.ts';
import { authSettings } from './auth/token.ts';
import { sendDeletions } from './deletions.ts';
import { reportMissingFile } from './lazy-part.tsx';
import { askBeforeLeaving } from './leaving.ts';
import { offer } from './offer.ts';
import { ownFields } from './own-fields.ts';
import { queryClient } from './query-client.ts';
import { readRoute } from './route.ts';
import { type ConsoleSettings, consoleSettings } from './settings.ts';
import { listQuery, toListRequest, userQuery } from './shown-users.ts';
import { Theme } from './theme.tsx';
import { clearDrafts } from './user/drafts.ts';

async function loadSettings(): Promise<ConsoleSettings> {
  // Ignores the error, because browsers do not report why a request failed.
  const response = await fetch('/console.json').catch(() => undefined);
  if (!response?.ok)
    throw new Error(
      `The settings of the console cannot be loaded: ${response?.status ?? 'the service cannot be reached'}`,
    );
  return consoleSettings.parse(await response.json());
}

/** A list that arrives by then is rendered at once. Later, the page first renders without it. */
const FIRST_LIST_MS = 200;

async function readFirst(): Promise<void> {
  const route = readRoute();
  await Promise.race([
    new Promise((resolve) => setTimeout(resolve, FIRST_LIST_MS)),
    Promise.all([
      !route.groups && queryClient.prefetchQuery(listQuery(toListRequest(route))),
      route.user && route.user !== 'new' && queryClient.prefetchQuery(userQuery(route.user)),
    ]),
  ]);
}

const FatalError = ({ message }: { message: string }) => (
  <Center component="main" h="100dvh" p="lg">
    <Stack align="center">
      <Title size="h3">The console cannot be shown</Title>
      <Text>{message}</Text>
      <Button onClick={() => location.reload()}>Reload</Button>
    </Stack>
  </Center>
);

/** Shows a message after an error, where React would leave an empty page. */
class ErrorBoundary extends Component<{ children: ReactNode }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError = () => ({ hasFailed: true });

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return <FatalError message="A part of the page has failed. What you have typed is kept." />;
  }
}

async function start(): Promise<ReactNode> {
  const settings = await loadSettings();
  ownFields.set(() => settings.fields);
  offer.set(() => settings.offer);
  authSettings.set(() => settings.auth);
  if (takeOverTab()) clearDrafts();
  if (settings.auth.kind === 'none') ignoreTokens();
  if (settings.auth.kind === 'token') dropExpiredToken();
  if (settings.auth.kind === 'sign-in') await resumeSignIn(settings.auth).catch(reportNotSignedIn);
  const mayRead = settings.auth.kind === 'none' || accessToken.get() !== undefined;
  if (mayRead) await readFirst();
  return <App settings={settings} />;
}

askBeforeLeaving();
addEventListener('pagehide', sendDeletions);
addEventListener('vite:preloadError', reportMissingFile);

// Cast: index.html contains this element.
const root = createRoot(document.getElementById('console') as HTMLElement);
const render = (content: ReactNode) =>
  root.render(
    <Theme>
      <ErrorBoundary>
        <QueryClientProvider client={queryClient}>{content}</QueryClientProvider>
      </ErrorBoundary>
    </Theme>,
  );
// No top-level await: lazy modules import this module and would wait for it forever.
start().then(render, ({ message }: Error) => render(<FatalError message={message} />));
