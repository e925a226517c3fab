import type { ConsoleSettings } from '../../console/settings.ts';
import { createHtmlPage } from './page.ts';

/** `data` is the location of the data. */
export type ConsoleInfo = { data: string; requiresToken: boolean };

export const createConsoleSettings = ({ data, requiresToken }: ConsoleInfo): ConsoleSettings => ({
  data,
  links: [
    { label: 'Reference', path: '/docs' },
    { label: 'GraphiQL', path: '/graphql' },
    { label: 'OpenAPI', path: '/openapi.json' },
  ],
  auth: { kind: requiresToken ? 'token' : 'none' },
});

/** The page contains nothing of the service it belongs to: it loads its settings. */
export const consolePage = createHtmlPage({
  bundle: 'console',
  title: 'Users',
  head: '<link rel="preload" href="/console.json" as="fetch" crossorigin>\n',
  body: `<div id="console"></div>
<noscript>The console needs JavaScript. The <a href="/openapi.json">OpenAPI document</a> does not.</noscript>`,
});
