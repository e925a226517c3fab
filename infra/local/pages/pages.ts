import type { IncomingMessage } from 'node:http';
import { openApiDocument } from '../../../lib/rest/openapi.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { splitUrl } from '../events.ts';
import { createBundles } from './bundles.ts';
import { compress } from './compress.ts';
import { type ConsoleInfo, consolePage, createConsoleSettings } from './console.ts';
import { createHtmlPage, createPage, type Page } from './page.ts';
import { createSiteBar } from './site-bar.ts';

/** Returns the page for a request, or undefined if a function must handle it. */
export type Pages = (request: IncomingMessage) => Promise<Page | undefined>;

const docs = createHtmlPage({
  bundle: 'docs',
  title: 'REST reference',
  head: '<script defer src="/pages/docs/scalar.js"></script>\n',
  body: `${createSiteBar('/docs')}\n<div id="docs"></div>`,
});
const graphiql = createHtmlPage({
  bundle: 'graphiql',
  title: 'GraphiQL',
  body: `${createSiteBar('/graphql')}\n<main>\n<h1 class="visually-hidden">GraphiQL</h1>\n<div id="graphiql"></div>\n</main>`,
});
// The GraphQL API answers clients that do not accept HTML.
graphiql.headers.vary = 'origin, accept, accept-encoding';

export function createPages(info: () => ConsoleInfo): Pages {
  const bundles = createBundles();
  const pages: Record<string, () => Page> = {
    '/': () => consolePage,
    '/console.json': () => createPage('application/json', JSON.stringify(createConsoleSettings(info()))),
    '/docs': () => docs,
    '/graphql': () => graphiql,
    '/openapi.json': () =>
      createPage('application/json', JSON.stringify(openApiDocument(packageJson.version), null, 2)),
  };
  const findPage = async (path: string) => {
    const [, bundle = '', file = ''] = /^\/pages\/(\w+)\/([\w.-]+)$/.exec(path) ?? [];
    return pages[path]?.() ?? bundles(bundle, file).catch(reportBuildError);
  };
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const [path] = splitUrl(request);
    const { accept = '', 'if-none-match': known, 'accept-encoding': encodings = '' } = request.headers;
    if (path === '/graphql' && !accept.includes('text/html')) return undefined;
    const page = await findPage(path);
    if (!page) return undefined;
    if (known === page.headers.etag) return { ...page, status: 304, body: '' };
    return encodings.includes('gzip') ? compress(page) : page;
  };
}

function reportBuildError(error: Error): Page {
  console.error(`Cannot build a page: ${error.message}`);
  return createPage('text/plain; charset=utf-8', 'This page cannot be built; see the log of the service.', 500);
}
