import { expect, test, vi } from 'vitest';
import { createBundle } from '../../infra/local/pages/build.ts';
import { createBundles } from '../../infra/local/pages/bundles.ts';

test('a bundle is built again when any file changes that esbuild read, or a package', async () => {
  const { inputs } = await createBundle('console');
  expect(inputs).toEqual(
    expect.arrayContaining([
      'package-lock.json',
      'infra/console/main.tsx',
      'infra/console/styles.css',
      'infra/prices.ts',
    ]),
  );
  expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
});

test('a build that failed is tried again', async () => {
  const build = vi
    .fn(async () => new Map([['main.js', new Uint8Array()]]))
    .mockRejectedValueOnce(new Error('A source has a syntax error'));
  const bundles = createBundles(build);
  await expect(bundles('console', 'main.js')).rejects.toThrow('syntax error');
  expect((await bundles('console', 'main.js'))?.status).toBe(200);
});
