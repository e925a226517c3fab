import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundle } from '../../../../infra/construct/bundling/bundle.ts';
import { listLoadedFiles } from '../../../../infra/construct/bundling/loaded-files.ts';
import { bundleNames } from '../../../../infra/construct/grants.ts';
import { compareSizes } from '../../../setup/recorded-sizes.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
afterAll(() => rm(folder, { recursive: true }));

const metafile = await bundle(bundleNames, folder);
const { outputs } = metafile;

const listFiles = (name: string) =>
  Object.keys(outputs).filter((path) => path.includes(`/${name}/`) && path.endsWith('.mjs'));
const sumSizes = (files: string[]) => files.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0) / 1000;

// A function compiles all that it loads before its first answer. `npx esbuild --analyze` shows what it contains.
test('no bundle has grown by more than a tenth', () => {
  const sizes = bundleNames.flatMap((name) => {
    const loaded = listLoadedFiles(metafile, name);
    const later = listFiles(name).filter((path) => !loaded.includes(path));
    return [[name, sumSizes(loaded)], ...(later.length > 0 ? [[`${name}, on first use`, sumSizes(later)]] : [])];
  });
  compareSizes('test/infra/construct/bundling/sizes.json', Object.fromEntries(sizes));
});

test('a REST function is one file, and GraphQL loads two at first', () => {
  const counts = bundleNames.map((name) => [name, listLoadedFiles(metafile, name).length]);
  const expected = bundleNames.map((name) => [name, name.startsWith('graphql') ? 2 : 1]);
  expect(counts).toEqual(expected);
});

test.each(['graphql', 'graphql-server'])('each file of %s loads, also those of later requests', (name) => {
  const files = listFiles(name);
  expect(files.map((path) => basename(path).replace(/-[A-Z0-9]{8}\.mjs$/, ''))).toEqual(
    expect.arrayContaining(['mutations', 'user-lists', 'post-lists', 'search', 'handle-sse', 'graphql-topics']),
  );
  const imported = files.flatMap((path) => outputs[path]?.imports.map((each) => each.path) ?? []);
  // What is left out of bundles has no file.
  expect(imported.filter((path) => !files.includes(path) && !path.startsWith('excluded:'))).toEqual([]);
  const program = `for (const file of ${JSON.stringify(files.map((path) => join(process.cwd(), path)))}) await import(file); process.exit();`;
  const variables = {
    FIELDS_FILE: 'test/setup/own-fields.json',
    AUTH_ISSUER: 'https://issuer.example.org',
    AUTH_AUDIENCE: 'users',
  };
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe', env: variables });
});

test('a query loads no mutations, subscriptions or validation of inputs', () => {
  const inputs = listLoadedFiles(metafile, 'graphql').flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
  const loadsLater =
    /node_modules\/(zod|aws-jwt-verify)\/|mutations\.ts|lib\/users\/(write|create|update|delete)\.ts|\/sse\/|live-reader/;
  expect(inputs.filter((path) => loadsLater.test(relative('.', path)))).toEqual([]);
});

test('get-user has no zod, claims, logs or epochs', () => {
  const inputs = listLoadedFiles(metafile, 'get-user').flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
  expect(
    inputs.filter((path) => /node_modules\/zod\/|lib\/users\/(list-)?claims\.ts|change-log|epoch/.test(path)),
  ).toEqual([]);
});
