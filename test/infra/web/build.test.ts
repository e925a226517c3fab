import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBundle, writeConsoleFiles } from '../../../infra/web/build.ts';
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
