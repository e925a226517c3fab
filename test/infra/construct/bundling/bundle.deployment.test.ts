import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundle } from '../../../../infra/construct/bundling/bundle.ts';
import { bundleNames } from '../../../../infra/construct/grants.ts';
import { openApiDocument } from '../../../../infra/openapi/document.ts';
import { operationNames } from '../../../../lib/rest/operations.ts';
import { compareSizes } from '../../../setup/recorded-sizes.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
afterAll(() => rm(folder, { recursive: true }));

const { outputs } = await bundle(bundleNames, folder);

const listFiles = (name: string) =>
  Object.keys(outputs).filter((path) => path.includes(`/${name}/`) && path.endsWith('.mjs'));
const sumSizes = (files: string[]) => files.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0) / 1000;

/** Lists the files that the function loads at start, including static imports of imported files. */
function listLoadedFiles(name: string): string[] {
  const loaded = Object.keys(outputs).filter((path) => path.endsWith(`/${name}/${name}.mjs`));
  // The loop also visits the files that it appends.
  for (const path of loaded)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && imported in outputs && !loaded.includes(imported)) loaded.push(imported);
  return loaded;
}

const listInputs = (name: string) => listLoadedFiles(name).flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));

// Functions compile all loaded code before the first response. Analyze with `npx esbuild --analyze`.
test('no bundle has grown by more than a tenth', () => {
  const sizes = bundleNames.flatMap((name) => {
    const loaded = listLoadedFiles(name);
    const later = listFiles(name).filter((path) => !loaded.includes(path));
    return [[name, sumSizes(loaded)], ...(later.length > 0 ? [[`${name}, on first use`, sumSizes(later)]] : [])];
  });
  compareSizes('test/infra/construct/bundling/sizes.json', Object.fromEntries(sizes));
});

test('a function is one file, and loads two at start if it loads others on first use', () => {
  const counts = bundleNames.map((name) => [name, listLoadedFiles(name).length]);
  // Functions of own records load the verification of second tokens.
  const ofOwnRecords = ['create-me', 'update-me', 'sign-in', 'add-login'];
  const loadingOnFirstUse = ['graphql', 'graphql-server', 'customize-token', ...ofOwnRecords];
  const expected = bundleNames.map((name) => [name, loadingOnFirstUse.includes(name) ? 2 : 1]);
  expect(counts).toEqual(expected);
});

test.each(['graphql', 'graphql-server'])('every file of %s loads, including those loaded on first use', (name) => {
  const files = listFiles(name);
  expect(files.map((path) => basename(path).replace(/-[A-Z0-9]{8}\.mjs$/, ''))).toEqual(
    expect.arrayContaining(['mutations', 'user-lists', 'post-lists', 'search', 'handle-sse', 'graphql-topics']),
  );
  const imported = files.flatMap((path) => outputs[path]?.imports.map((each) => each.path) ?? []);
  // Excluded modules have no file.
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
  const loadsLater =
    /node_modules\/(zod|aws-jwt-verify)\/|mutations\.ts|lib\/users\/(write|delete|input)\.ts|lib\/posts\/write\.ts|\/sse\/|live-reader/;
  expect(listInputs('graphql').filter((path) => loadsLater.test(relative('.', path)))).toEqual([]);
});

test.each(['get-user', 'delete-user', 'on-change'])('%s validates no input and does not contain zod', (name) => {
  expect(listInputs(name).filter((path) => path.includes('node_modules/zod/'))).toEqual([]);
});

test('get-user contains no code that writes users or finds them by value', () => {
  // Reads of a user leave out memberships of deleted groups.
  const others =
    /lib\/users\/(write|derived|unique-values|companions|input)\.ts|lib\/features\/(?!groups\/)|node_modules\/uuid\//;
  expect(listInputs('get-user').filter((path) => others.test(path))).toEqual([]);
});

test.each(['delete-user', 'on-change'])('%s contains the write loop, but no code that creates users', (name) => {
  expect(listInputs(name)).toContain('lib/users/write.ts');
  expect(listInputs(name).filter((path) => /node_modules\/uuid\/|lib\/users\/input\.ts/.test(path))).toEqual([]);
  const [text] = listLoadedFiles(name).map((path) => readFileSync(path, 'utf8'));
  // The text of an error in createUser.
  expect(text).not.toContain('createUser wrote no user');
});

test('functions of REST contain no texts that only the OpenAPI document shows', () => {
  // Functions send the texts of some error responses.
  const document = JSON.stringify(openApiDocument('1.0.0'), (key, value) => (key === 'responses' ? undefined : value));
  const texts = [...document.matchAll(/"(?:summary|description)":"([\w ,;:.()]{25,})/g)].map(([, text = '']) => text);
  expect(texts.length).toBeGreaterThan(30);
  const functions = operationNames.map((name) => readFileSync(listLoadedFiles(name).join(), 'utf8'));
  expect(texts.filter((text) => functions.some((bundled) => bundled.includes(text)))).toEqual([]);
});

test('graphql does not parse its schema', () => {
  const text = listLoadedFiles('graphql')
    .map((path) => readFileSync(path, 'utf8'))
    .join();
  expect(text).not.toMatch(/type Query\s*\{|schema\.graphql/);
  expect(text).toContain('"kind":"ObjectTypeDefinition"');
});
