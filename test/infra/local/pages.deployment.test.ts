import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createFiles } from '../../../infra/local/pages.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { type LocalService, startLocalService } from '../../setup/local-service.ts';

const PAGES = ['/', '/docs', '/graphql'];
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = HTML) => fetch(new URL(path, service.url), { headers });
const fetchText = async (path: string) => (await get(path)).text();

/** Follows all references. Returns status and type by path. */
async function loadAll(path: string, loaded = new Map<string, string>()): Promise<Map<string, string>> {
  const response = await get(path);
  const type = response.headers.get('content-type') ?? '';
  loaded.set(path, `${response.status} ${type}`);
  const text = await response.text();
  const references = type.startsWith('text/html')
    ? /<(?:script|link)\b[^>]*?\b(?:src|href)="([^"]+)"/g
    : /(?:\bfrom|\bimport\(?)\s*["'`](\.[^"'`]+\.js)["'`]/g;
  for (const [, reference = ''] of text.matchAll(references)) {
    if (reference.startsWith('data:')) continue;
    const { origin, pathname } = new URL(reference, new URL(path, service.url));
    expect(origin).toBe(service.url);
    if (!loaded.has(pathname)) await loadAll(pathname, loaded);
  }
  return loaded;
}

describe.each(PAGES)('the page %s', (path) => {
  test('is HTML whose policy allows only its own origin', async () => {
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|unsafe-eval|\*/);
  });

  test('loads every file from this machine', async () => {
    const { [path]: _, ...files } = Object.fromEntries(await loadAll(path));
    expect(Object.keys(files).length).toBeGreaterThanOrEqual(2);
    const wanted = Object.keys(files).map((file) => [file, `200 ${TYPES[extname(file)]}`]);
    expect(files).toEqual(Object.fromEntries(wanted));
  }, 60_000);

  test('contains no inline script or style', async () => {
    expect(await fetchText(path)).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son\w+=/);
  });
});

test("the console's settings name the other pages and the location of the data", async () => {
  const settings = await (await get('/console.json')).json();
  expect(settings).toMatchObject({ data: 'in memory', auth: { kind: 'none' } });
  const { links } = settings as { links: { path: string }[] };
  expect(links.map(({ path }) => path)).toEqual(['/docs', '/graphql', '/openapi.json']);
});

test("the console's settings contain the own fields", async () => {
  const file = 'test/setup/own-fields.json';
  const withFields = await startLocalService(['--memory', '--fields', file]);
  const { fields } = (await (await fetch(`${withFields.url}/console.json`)).json()) as { fields: { name: string }[] };
  await withFields.stop();
  expect(fields.map(({ name }) => name)).toEqual(Object.keys(JSON.parse(await readFile(file, 'utf8'))));
  expect(fields[0]).toMatchObject({ type: 'string', maxLength: 30, unique: true });
});

test.each([
  [{}, { sortByName: true, changes: 'live' }],
  [
    { MAX_STREAMS: '0', SORT_BY_NAME: 'off' },
    { sortByName: false, changes: 'kept' },
  ],
  [
    { MAX_STREAMS: '0', CHANGE_LOG: 'off' },
    { sortByName: true, changes: 'none' },
  ],
])(
  "the console's settings contain the features that %o turns off",
  async (environment: Record<string, string>, offer) => {
    const limited = await startLocalService(['--memory'], environment);
    const settings = await (await fetch(`${limited.url}/console.json`)).json();
    await limited.stop();
    expect(settings).toMatchObject({ offer });
  },
);

test('files with a hash in their name are immutable, and pages are revalidated', async () => {
  const files = [...(await loadAll('/')).keys()].filter((path) => path.startsWith('/pages/console/assets/'));
  expect(files.length).toBeGreaterThan(3);
  for (const file of files)
    expect((await get(file)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  for (const path of ['/', '/docs', '/graphql', '/console.json', '/pages/console/color-scheme.js'])
    expect((await get(path)).headers.get('cache-control'), path).toBe('no-cache');
});

test.each(['/pages/console/color-scheme.js', '/graphql'])('GET of %s with its ETag returns 304', async (path) => {
  const { headers } = await get(path);
  expect(headers.get('content-encoding')).toBe('gzip');
  const { status } = await get(path, { ...HTML, 'if-none-match': headers.get('etag') ?? '' });
  expect(status).toBe(304);
});

test('the GraphiQL page varies by Accept', async () => {
  expect((await get('/graphql')).headers.get('vary')).toBe('origin, accept, accept-encoding');
});

test('the OpenAPI document is served as JSON, with the absolute URL of the service', async () => {
  const response = await get('/openapi.json', {});
  expect(response.headers.get('content-type')).toBe('application/json');
  const document = openApiDocument(packageJson.version, service.url);
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
});

test.each(['application/json', 'application/json, text/html;q=0.1', '*/*'])(
  'a client that prefers JSON gets a GraphQL response instead of GraphiQL: %s',
  async (accept) => {
    const response = await get('/graphql?query={__typename}', { accept, 'content-type': 'application/json' });
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  },
);

test('HEAD returns the head of GET', async () => {
  const response = await fetch(service.url, { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await response.text()).toBe('');
});

test.each([
  '/pages/console/..%2f..%2fpage.ts',
  '/pages/nothing/main.js',
  '/pages/console/assets/nothing.js',
  '/<script>',
])('returns 404 for the unknown path %s without echoing it', async (path) => {
  const response = await get(path);
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ message: 'Not Found' });
});

test('pages support GET and HEAD only', async () => {
  for (const path of ['/', '/docs', '/openapi.json'])
    expect((await fetch(new URL(path, service.url), { method: 'POST' })).status).toBe(404);
});

test('a failed build is retried on the next request', async () => {
  const build = vi
    .fn(async () => new Map([['color-scheme.js', new Uint8Array()]]))
    .mockRejectedValueOnce(new Error('A source has a syntax error'));
  const files = createFiles(build);
  await expect(files('/pages/console/color-scheme.js')).rejects.toThrow('syntax error');
  expect((await files('/pages/console/color-scheme.js'))?.status).toBe(200);
});
