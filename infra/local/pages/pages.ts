import type { IncomingMessage } from 'node:http';
import { openApiDocument } from '../../../lib/rest/openapi.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { splitUrl } from '../events.ts';
import { createBundles } from './bundles.ts';
import { createHomePage, type ServiceInfo } from './home.ts';
import { createHtmlPage, createPage, type Page } from './page.ts';

/** Returns the page for a request, or undefined if a function must handle it. */
export type Pages = (request: IncomingMessage) => Promise<Page | undefined>;

const docs = createHtmlPage('docs', 'REST reference', '<main id="docs"></main>');
const graphiql = createHtmlPage('graphiql', 'GraphiQL', '<main id="graphiql"></main>');

export function createPages(info: () => ServiceInfo): Pages {
  const bundles = createBundles();
  const pages: Record<string, () => Page> = {
    '/': () => createHomePage(info()),
    '/docs': () => docs,
    '/openapi.json': () =>
      createPage('application/json', JSON.stringify(openApiDocument(packageJson.version), null, 2)),
  };
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const [path] = splitUrl(request);
    // GraphiQL and the GraphQL API share this path.
    if (path === '/graphql') return request.headers.accept?.includes('text/html') ? graphiql : undefined;
    const [, bundle = '', file = ''] = /^\/pages\/(\w+)\/([\w.-]+)$/.exec(path) ?? [];
    return pages[path]?.() ?? bundles(bundle, file).catch(reportBuildError);
  };
}

function reportBuildError(error: Error): Page {
  console.error(`Cannot build a page: ${error.message}`);
  return createPage('text/plain; charset=utf-8', 'This page cannot be built; see the log of the service.', 500);
}
