import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { build, createBundle, writeConsoleFiles } from '../../../infra/web/build.ts';
import { compareSizes } from '../../setup/recorded-sizes.ts';

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

/** The first view loads these: the entry points, what they import, and the style. The result is paths of outputs. */
function listFirstLoad({ outputs }: Metafile): Set<string> {
  const loaded = new Set(Object.keys(outputs).filter((path) => /\/(main|color-scheme)\.(js|css)$/.test(path)));
  for (const path of loaded)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement') loaded.add(imported);
  return loaded;
}

test('the first view of the console loads nothing of the import', async () => {
  const { metafile } = await createBundle('console');
  const inputs = [...listFirstLoad(metafile)].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
  expect(inputs).toContain('infra/web/console/main.tsx');
  expect(inputs.filter((path) => /papaparse|infra\/transfer|import-dialog/.test(path))).toEqual([]);
});

test.each(['console', 'docs', 'graphiql'] as const)(
  'the page of %s names all that its first view loads, and no more',
  async (name) => {
    const { files, metafile } = await createBundle(name);
    const html = new TextDecoder().decode(files.get('index.html'));
    const named = [...html.matchAll(/(?:src|href)="\/pages\/\w+\/([^"]+)"/g)].map(([, file]) => file);
    expect(named.toSorted()).toEqual([...listFirstLoad(metafile)].map((path) => basename(path)).toSorted());
  },
);

test('the files are those that the local service serves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  await writeConsoleFiles(folder);
  expect(await readFile(join(folder, 'index.html'))).toEqual(
    Buffer.from((await build('console')).get('index.html') ?? ''),
  );
  expect((await readFile(join(folder, 'pages/console/main.js'), 'utf8')).length).toBeGreaterThan(100_000);
  await rm(folder, { recursive: true });
});

const compress = (file: string | Uint8Array = '') => gzipSync(file).length / 1000;
const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);

test('no page has grown by more than a tenth, compressed', async () => {
  const sizes: Record<string, number> = {};
  for (const name of ['console', 'graphiql', 'docs'] as const) {
    const { files, metafile } = await createBundle(name);
    sizes[`${name}, first view`] = sum([...listFirstLoad(metafile)].map((path) => compress(files.get(basename(path)))));
    sizes[`${name}, all`] = sum([...files.values()].map((file) => compress(file)));
  }
  compareSizes('test/infra/web/sizes.json', sizes);
});
