import type { IncomingMessage } from 'node:http';
import { openApiDocument } from '../../../lib/rest/openapi.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { splitUrl } from '../events.ts';
import { createBundles } from './bundles.ts';
import { homePage, type Place } from './home.ts';
import { htmlOf, type Page, pageOf } from './page.ts';

/** What is for people rather than for a function: undefined is a function's to answer. */
export type Pages = (request: IncomingMessage) => Promise<Page | undefined>;

const docs = htmlOf('docs', 'REST reference', '<main id="docs"></main>');
const graphiql = htmlOf('graphiql', 'GraphiQL', '<main id="graphiql"></main>');

export function createPages(place: () => Place): Pages {
  const bundles = createBundles();
  const pages: Record<string, () => Page> = {
    '/': () => homePage(place()),
    '/docs': () => docs,
    '/openapi.json': () => pageOf('application/json', JSON.stringify(openApiDocument(packageJson.version), null, 2)),
  };
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const [path] = splitUrl(request);
    // On this path alone a client that asks for JSON is the function's.
    if (path === '/graphql') return request.headers.accept?.includes('text/html') ? graphiql : undefined;
    const [, bundle = '', file = ''] = /^\/pages\/(\w+)\/([\w.-]+)$/.exec(path) ?? [];
    return pages[path]?.() ?? bundles(bundle, file).catch(unbuilt);
  };
}

function unbuilt(error: Error): Page {
  console.error(`A page cannot be built: ${error.message}`);
  return pageOf('text/plain; charset=utf-8', 'This page cannot be built; the log of the service says why.', 500);
}
