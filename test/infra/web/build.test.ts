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

test('the files are those that the local service serves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  await writeConsoleFiles(folder);
  expect(await readFile(join(folder, 'index.html'), 'utf8')).toBe(consolePage.body);
  expect((await readFile(join(folder, 'pages/console/main.js'), 'utf8')).length).toBeGreaterThan(100_000);
  await rm(folder, { recursive: true });
});
