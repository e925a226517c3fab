import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ownFields } from '../../lib/features/own-fields/declared.ts';
import { splitUrl } from '../../lib/http-event.ts';
import { openApiDocument } from '../../lib/rest/openapi/document.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type BundleName, build as buildBundle, isBundleName } from '../web/build.ts';
import { createLocalSettings, type LocalInfo } from '../web/console/settings.ts';
import { createPage, type Page } from '../web/pages.ts';
import type { Issuer } from './auth.ts';

/** Returns the page for a request, or undefined if a function must handle it. */
export type Pages = (request: IncomingMessage) => Promise<Page | undefined>;

/** `mint` answers the sign-in of the console, where the service is its own issuer. */
export function createPages(info: () => LocalInfo, mint?: Issuer['mint']): Pages {
  const bundles = createBundles();
  const pages: Record<string, () => Page | Promise<Page | undefined>> = {
    '/': () => bundles('console', 'index.html'),
    '/console.json': () => createPage('application/json', JSON.stringify(createLocalSettings(info(), ownFields))),
    '/docs': () => bundles('docs', 'index.html'),
    '/graphql': () => bundles('graphiql', 'index.html').then(varyByAccept),
    '/openapi.json': () =>
      createPage('application/json', JSON.stringify(openApiDocument(packageJson.version), null, 2)),
  };
  const findPage = async (path: string) => {
    const [, bundle = '', file = ''] = /^\/pages\/(\w+)\/([\w.-]+)$/.exec(path) ?? [];
    try {
      return await (pages[path]?.() ?? bundles(bundle, file));
    } catch (error) {
      return reportBuildError(error);
    }
  };
  return async (request) => {
    const [path, query] = splitUrl(request);
    if (mint && request.method === 'POST' && path === '/sign-in' && isOwnPage(request))
      return createTokenPage(await mint(query === 'write'));
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const { accept = '', 'if-none-match': known, 'accept-encoding': encodings = '' } = request.headers;
    if (path === '/graphql' && !accept.includes('text/html')) return undefined;
    const page = await findPage(path);
    if (!page) return undefined;
    if (known === page.headers.etag) return { ...page, status: 304, body: '' };
    return encodings.includes('gzip') ? compress(page) : page;
  };
}

/** Pages of other origins, such as of other ports of this machine, get no token. The gateway has checked the host. */
const isOwnPage = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin !== undefined && URL.parse(origin)?.host === host;

function createTokenPage(token: object): Page {
  const page = createPage('application/json', JSON.stringify(token));
  // RFC 6749 section 5.1 asks for it.
  return { ...page, headers: { ...page.headers, 'cache-control': 'no-store' } };
}

/** The GraphQL API answers clients that do not accept HTML. */
const varyByAccept = (page: Page | undefined): Page | undefined =>
  page && { ...page, headers: { ...page.headers, vary: 'origin, accept, accept-encoding' } };

function reportBuildError(error: unknown): Page {
  console.error(`Cannot build a page: ${error instanceof Error ? error.message : error}`);
  return createPage('text/plain; charset=utf-8', 'This page cannot be built; see the log of the service.', 500);
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};

/** Bundles are built when their page is first opened, so that the start does not wait for them. */
export function createBundles(build = buildBundle): (name: string, file: string) => Promise<Page | undefined> {
  const load = async (name: BundleName): Promise<Map<string, Page>> => {
    const files = await build(name);
    return new Map(
      [...files].map(([file, contents]) => [
        file,
        createPage(TYPES[extname(file)] ?? 'application/octet-stream', contents),
      ]),
    );
  };
  const bundles = new Map<BundleName, Promise<Map<string, Page>>>();
  const loadOnce = (name: BundleName) => {
    const bundle = load(name);
    bundles.set(name, bundle);
    // The next request builds it again.
    bundle.catch(() => bundles.delete(name));
    return bundle;
  };
  return async (name, file) => {
    if (!isBundleName(name)) return undefined;
    const bundle = await (bundles.get(name) ?? loadOnce(name));
    return bundle.get(file);
  };
}

const compressed = new WeakMap<Page, Page>();

/** Compresses each page once. */
function compress(page: Page): Page {
  const known = compressed.get(page);
  if (known) return known;
  const headers = { ...page.headers, 'content-encoding': 'gzip' };
  const result = { ...page, headers, body: gzipSync(page.body) };
  compressed.set(page, result);
  return result;
}
