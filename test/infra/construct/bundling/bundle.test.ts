import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundle } from '../../../../infra/construct/bundling/bundle.ts';
import { bundleNames } from '../../../../infra/construct/grants.ts';
import { compareSizes } from '../../../setup/recorded-sizes.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
afterAll(() => rm(folder, { recursive: true }));

const { outputs } = await bundle(bundleNames, folder);
const sizes = Object.fromEntries(
  Object.entries(outputs)
    .filter(([path]) => path.endsWith('.mjs'))
    .map(([path, { bytes }]) => [basename(path, '.mjs'), bytes / 1000]),
);

// A function compiles all of its bundle before its first answer. `npx esbuild --analyze` shows what it contains.
test('no bundle has grown by more than a tenth', () => {
  expect(Object.keys(sizes).toSorted()).toEqual(bundleNames.toSorted());
  compareSizes('test/infra/construct/bundling/sizes.json', sizes);
});
