import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/errors.ts';
import { App } from './app.tsx';
import { finishSignIn, reportNotSignedIn } from './auth/sign-in.ts';
import { loadSettings } from './load-settings.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { FatalError } from './shell/fatal-error.tsx';
import { cssVariablesResolver, theme } from './theme.ts';
import './styles.css';

const isTemporary = (error: Error) => error instanceof ApiError && error.status === 503;

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => isTemporary(error) && failures < 3,
      // Changes arrive over the subscription, except for those of posts: their query overrides this.
      refetchOnWindowFocus: false,
      staleTime: 10_000,
    },
  },
});

async function start() {
  const settings = await loadSettings();
  if (settings.auth.kind === 'sign-in') await finishSignIn(settings.auth).catch(reportNotSignedIn);
  return settings;
}

const element = document.getElementById('console');
if (element) {
  const root = createRoot(element);
  const render = (content: React.ReactNode) =>
    root.render(
      <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
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
