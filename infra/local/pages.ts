import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { splitUrl } from '../../lib/http-event.ts';
import { chooseMediaType } from '../../lib/negotiation.ts';
import { ownFields } from '../../lib/users/fields/values.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { openApiDocument } from '../openapi/document.ts';
import { requestConsoleToken } from '../scripts/local-token.ts';
import { build as buildPage, isHashed, isPageName, type PageName } from '../web/build.ts';
import { createLocalSettings, type LocalInfo } from '../web/console/settings.ts';
import { createPage, type Page } from '../web/pages.ts';

export type Files = (path: string) => Promise<Page | undefined>;

export type Pages = (request: IncomingMessage) => Promise<Page | undefined>;

/** `issuer` gives tokens to the pages. Undefined without `--auth`. */
export function createPages(info: () => LocalInfo, issuer?: string, files: Files = createFiles()): Pages {
  const pages: Record<string, (host: string) => Page | Promise<Page | undefined>> = {
    '/': () => files('/pages/console/index.html'),
    '/console.json': () => createPage('application/json', JSON.stringify(createLocalSettings(info(), ownFields))),
    '/docs': () => files('/pages/reference/index.html'),
    '/graphql': () => files('/pages/graphiql/index.html').then(varyByAccept),
    '/openapi.json': (host) =>
      createPage('application/json', JSON.stringify(openApiDocument(packageJson.version, `http://${host}`), null, 2)),
  };
  const findPage = async (path: string, query: string, host: string) => {
    try {
      return await (pages[path]?.(host) ?? files(query ? `${path}?${query}` : path));
    } catch (error) {
      return reportBuildError(error);
    }
  };
  return async (request) => {
    const [path, query] = splitUrl(request);
    if (issuer && request.method === 'POST' && path === '/sign-in' && isOwnPage(request))
      return createTokenPage(await requestConsoleToken(issuer, query === 'write'));
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const { host = 'localhost', accept, 'if-none-match': known, 'accept-encoding': encodings = '' } = request.headers;
    if (path === '/graphql' && chooseMediaType(accept, GRAPHQL_URL_TYPES) !== 'text/html') return undefined;
    const page = await findPage(path, query, host);
    if (!page) return undefined;
    if (known === page.headers.etag) return { ...page, status: 304, body: '' };
    return encodings.includes('gzip') ? compress(page) : page;
  };
}

/** Pages of other origins get no token, even on another local port. The gateway has checked the host. */
const isOwnPage = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin !== undefined && URL.parse(origin)?.host === host;

function createTokenPage(token: unknown): Page {
  const page = createPage('application/json', JSON.stringify(token));
  // RFC 6749 section 5.1 requires no-store.
  return { ...page, headers: { ...page.headers, 'cache-control': 'no-store' } };
}

/** In order of preference: if Accept allows both equally, the API's JSON wins over GraphiQL. */
const GRAPHQL_URL_TYPES = [
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'text/html',
] as const;

const varyByAccept = (page: Page | undefined): Page | undefined =>
  page && { ...page, headers: { ...page.headers, vary: 'origin, accept, accept-encoding' } };

function reportBuildError(error: unknown): Page {
  console.error(`The local service cannot build a web page: ${error instanceof Error ? error.message : error}`);
  return createPage('text/plain; charset=utf-8', 'This page cannot be built; see the log of the service.', {
    status: 500,
  });
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** RFC 8246: browsers never revalidate a file with a hash in its name. */
const IMMUTABLE = { cacheControl: 'public, max-age=31536000, immutable' };

export function createFiles(build = buildPage): Files {
  const load = async (name: PageName): Promise<Map<string, Page>> => {
    const toPage = (file: string, contents: Uint8Array) =>
      createPage(TYPES[extname(file)] ?? 'application/octet-stream', contents, isHashed(file) ? IMMUTABLE : {});
    return new Map([...(await build(name))].map(([file, contents]) => [file, toPage(file, contents)]));
  };
  const built = new Map<PageName, Promise<Map<string, Page>>>();
  const loadOnce = (name: PageName) => {
    const files = load(name);
    built.set(name, files);
    files.catch(() => built.delete(name));
    return files;
  };
  return async (path) => {
    const [, name = '', file = ''] = /^\/pages\/(\w+)\/((?:assets\/)?[\w.-]+)$/.exec(path) ?? [];
    if (!isPageName(name)) return undefined;
    const files = await (built.get(name) ?? loadOnce(name));
    return files.get(file);
  };
}

const compressed = new WeakMap<Page, Page>();

function compress(page: Page): Page {
  const known = compressed.get(page);
  if (known) return known;
  const headers = { ...page.headers, 'content-encoding': 'gzip' };
  const result = { ...page, headers, body: gzipSync(page.body) };
  compressed.set(page, result);
  return result;
}
