import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../../infra/settings.ts';
import { createBundle, writeConsoleFiles } from '../../../infra/web/build.ts';
import { createDeployedSettings } from '../../../infra/web/console/settings.ts';
import { consolePage } from '../../../infra/web/pages.ts';

const JWT = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users', console: 'on' };

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
  await writeConsoleFiles(folder, readSettings(JWT));
  expect(await readFile(join(folder, 'index.html'), 'utf8')).toBe(consolePage.body);
  expect((await readFile(join(folder, 'pages/console/main.js'), 'utf8')).length).toBeGreaterThan(100_000);
  expect(JSON.parse(await readFile(join(folder, 'console.json'), 'utf8'))).toEqual(
    createDeployedSettings(readSettings(JWT)),
  );
  await rm(folder, { recursive: true });
});
