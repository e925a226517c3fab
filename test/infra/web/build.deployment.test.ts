import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { build, buildPage as buildAnew, isHashed, type PageName, writeSiteFiles } from '../../../infra/web/build.ts';
import { compareSizes } from '../../setup/recorded-sizes.ts';

const built = new Map<PageName, ReturnType<typeof buildAnew>>();

/** Builds once for all tests, and not from the cache. */
function buildPage(page: PageName) {
  const known = built.get(page) ?? buildAnew(page);
  built.set(page, known);
  return known;
}

test('a page is rebuilt after a change of any source that Vite read, or of a package', async () => {
  const { inputs } = await buildPage('console');
  expect(inputs).toEqual(
    expect.arrayContaining([
      'package-lock.json',
      'infra/web/vite-config.ts',
      'infra/web/console/index.html',
      'infra/web/console/main.tsx',
      'infra/web/console/console.css',
      'infra/web/logo.svg',
      'infra/web/public/color-scheme.js',
      'infra/web/browser-modules.ts',
    ]),
  );
  expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
});

const readText = (files: Map<string, Uint8Array>, file: string) => new TextDecoder().decode(files.get(file));

/** Lists referenced files, and imports of scripts. */
async function listFirstLoad(page: PageName) {
  const { files, chunks } = await buildPage(page);
  const html = readText(files, 'index.html');
  const named = [...html.matchAll(/(?:src|href)="\/pages\/\w+\/([^"]+)"/g)].map(([, file = '']) => file);
  const loaded = new Set(named);
  for (const file of loaded)
    for (const imported of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) loaded.add(imported);
  return { files, chunks, named, loaded };
}

test("the console's first view loads no import code", async () => {
  const { chunks, loaded } = await listFirstLoad('console');
  const modules = chunks.filter(({ fileName }) => loaded.has(fileName)).flatMap(({ moduleIds }) => moduleIds);
  expect(modules.filter((path) => path.endsWith('/infra/web/console/main.tsx'))).toHaveLength(1);
  expect(modules.filter((path) => /papaparse|import-rows|import-dialog/.test(path))).toEqual([]);
});

test.each(['console', 'reference', 'graphiql'] as const)(
  'the page of %s references every file of its first view',
  async (page) => {
    const { named, loaded } = await listFirstLoad(page);
    expect(named.toSorted()).toEqual([...loaded].toSorted());
  },
);

test('hashed file names change with the content; only the page and its color script have no hash', async () => {
  const { files } = await buildPage('console');
  const names = [...files.keys()];
  expect(names.filter((name) => !isHashed(name)).toSorted()).toEqual(['color-scheme.js', 'index.html']);
  for (const name of names.filter(isHashed)) expect(name).toMatch(/^assets\/[\w.-]+-[\w-]{8}\.\w+$/);
});

test('the built files equal those of the local service', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  await writeSiteFiles(folder);
  for (const [name, contents] of await build('console')) {
    const path = name === 'index.html' ? name : `pages/console/${name}`;
    expect(await readFile(join(folder, path)), path).toEqual(Buffer.from(contents));
  }
  await rm(folder, { recursive: true });
});

const compress = (file: Uint8Array = new Uint8Array()) => gzipSync(file).length / 1000;
const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);

const LIMITS = { console: 320, graphiql: 60, reference: 200 };

test("each page's first view is within its compressed size limit, and no page has grown by more than a tenth", async () => {
  const sizes: Record<string, number> = {};
  for (const [page, limit] of Object.entries(LIMITS) as [PageName, number][]) {
    const { files, loaded } = await listFirstLoad(page);
    const firstView = sum([...loaded].map((file) => compress(files.get(file))));
    expect(firstView, page).toBeLessThanOrEqual(limit);
    sizes[`${page}, first view`] = firstView;
    sizes[`${page}, all`] = sum([...files.values()].map(compress));
  }
  compareSizes('test/infra/web/sizes.json', sizes);
});

test('no page contains a font', async () => {
  for (const page of ['console', 'graphiql', 'reference'] as const) {
    const { files } = await buildPage(page);
    for (const file of files.keys()) {
      expect(file).not.toMatch(/\.(ttf|woff2?)$/);
      if (file.endsWith('.css')) expect(readText(files, file)).not.toContain('font/woff');
    }
  }
});

test("the build replaces the Node.js modules of the domain's validation", async () => {
  const { files, modules } = await buildPage('console');
  expect(modules).toContain('lib/users/fields/value-schema.ts');
  for (const file of files.keys()) expect(readText(files, file), file).not.toMatch(/\bBuffer\.|"node:/);
});
