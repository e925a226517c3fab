import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type BundleName, createBundle, writeConsoleFiles } from '../../../infra/web/build.ts';
import { consolePage } from '../../../infra/web/pages.ts';

test('a bundle is built again when any file changes that esbuild read, or a package', async () => {
  const { inputs } = await createBundle('console');
  expect(inputs).toEqual(
    expect.arrayContaining([
      'package-lock.json',
      'infra/web/console/main.tsx',
      'infra/web/console/styles.css',
      'infra/prices.ts',
    ]),
  );
  expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
});

test('the first view of the console loads nothing of the import', async () => {
  const { metafile } = await createBundle('console');
  const outputs = new Map(Object.entries(metafile.outputs));
  const loaded = new Set([...outputs.keys()].filter((path) => path.endsWith('/main.js')));
  for (const path of loaded)
    for (const { path: next, kind } of outputs.get(path)?.imports ?? [])
      if (kind === 'import-statement') loaded.add(next);
  const inputs = [...loaded].flatMap((path) => Object.keys(outputs.get(path)?.inputs ?? {}));
  expect(inputs).toContain('infra/web/console/main.tsx');
  expect(inputs.filter((path) => /papaparse|infra\/transfer|import-dialog/.test(path))).toEqual([]);
});

test('the files are those that the local service serves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  await writeConsoleFiles(folder);
  expect(await readFile(join(folder, 'index.html'), 'utf8')).toBe(consolePage.body);
  expect((await readFile(join(folder, 'pages/console/main.js'), 'utf8')).length).toBeGreaterThan(100_000);
  await rm(folder, { recursive: true });
});

/** The sizes are compressed. The first view loads these: the entry points, what they import, and the style. */
async function measureFirstLoad(name: BundleName): Promise<number> {
  const { files, metafile } = await createBundle(name);
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { path: imported, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement') load(imported);
  };
  for (const path of Object.keys(metafile.outputs)) if (/\/(main|color-scheme)\.(js|css)$/.test(path)) load(path);
  return [...loaded].reduce((sum, path) => sum + gzipSync(files.get(basename(path)) ?? '').length, 0);
}

test.each([
  ['console', 200_000],
  ['graphiql', 20_000],
  ['docs', 100_000],
] as const)('the first view of %s loads at most %i bytes', async (name, bytes) => {
  expect(await measureFirstLoad(name)).toBeLessThanOrEqual(bytes);
});

test('GraphiQL loads at most 480,000 bytes, with its editor', async () => {
  const { files } = await createBundle('graphiql');
  expect([...files.values()].reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThanOrEqual(480_000);
});
