import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const project = realpathSync(mkdtempSync(join(tmpdir(), 'lint-')));
afterAll(() => rmSync(project, { recursive: true }));

/** Lints the files with the configuration of this repository, and returns the paths of those that break the rule. */
function findRestrictedImports(files: Record<string, string>): string[] {
  write(files);
  const found = lint('.', '--only=style/noRestrictedImports');
  const diagnostics = found.matchAll(/title=lint\/style\/noRestrictedImports,file=(?<path>[^,]+)/g);
  return [...diagnostics].map(({ groups: { path = '' } = {} }) => relative(project, path));
}

/** Writes the files beside the configuration of this repository. */
function write(files: Record<string, string>): void {
  for (const file of ['biome.json', 'test/waits.grit']) cpSync(file, join(project, file));
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), source);
  }
}

/** Returns a line for each diagnostic. */
function lint(path: string, ...options: string[]): string {
  const args = ['lint', ...options, '--reporter=github', '--max-diagnostics=none', '--vcs-enabled=false', path];
  return spawnSync(resolve('node_modules/.bin/biome'), args, { cwd: project, encoding: 'utf8' }).stdout;
}

/** A folder of sources with all folders below it. */
const listFolders = (root: string) => [
  ...new Set(globSync(`${root}/**/*.ts`, { exclude: ['**/node_modules/**'] }).map((file) => dirname(file))),
];

/** The same file in every folder, named after the rule that it obeys or breaks. */
const writeInEach = (folders: string[], name: string, source: string) =>
  Object.fromEntries(folders.map((folder) => [`${folder}/${name}.ts`, source]));

test('lint rejects { z } from zod, which brings every locale into the bundles, and zod itself where zod/mini serves', () => {
  // An override in biome.json replaces the options of a rule, so each one must repeat the restriction.
  const [bundled, others] = [['lib', 'functions'].flatMap(listFolders), listFolders('infra')];
  const rejected = {
    ...writeInEach(bundled, 'named', "import { z } from 'zod/mini';\n"),
    ...writeInEach(bundled, 'classic', "import * as z from 'zod';\n"),
    ...writeInEach(others, 'named', "import { z } from 'zod';\n"),
  };
  const accepted = {
    ...writeInEach(bundled, 'all', "import * as z from 'zod/mini';\n"),
    ...writeInEach(others, 'all', "import * as z from 'zod';\n"),
  };
  expect(findRestrictedImports({ ...rejected, ...accepted }).toSorted()).toEqual(Object.keys(rejected).toSorted());
});

test('lint rejects REST in GraphQL, GraphQL in REST, and both in the domain, also those of a feature', () => {
  const rest = ['../rest/responses.ts', '../features/search/rest-query.ts'];
  const graphql = [
    '../graphql/context.ts',
    '../features/bulk/resolvers.ts',
    '../features/history/graphql-history.ts',
    '../features/change-log/sse/handle-sse.ts',
  ];
  const importEach = (folder: string, modules: string[]) =>
    Object.fromEntries(
      modules.map((module, at) => [
        `${folder}${at}.ts`,
        `import * as module from '${module}';\nconsole.log(module);\n`,
      ]),
    );
  const rejected = {
    ...importEach('lib/users/', [...rest, ...graphql]),
    ...importEach('lib/features/history/', [...rest, ...graphql, './resolvers.ts', './rest-query.ts']),
    ...importEach('lib/rest/', graphql),
    ...importEach('lib/features/history/rest-', graphql),
    ...importEach('lib/graphql/', rest),
    ...importEach('lib/features/history/graphql-', rest),
  };
  const accepted = {
    ...importEach('lib/rest/accepted', rest),
    ...importEach('lib/features/history/rest-accepted', rest),
    ...importEach('lib/graphql/accepted', graphql),
    ...importEach('lib/features/history/graphql-accepted', graphql),
  };
  const found = findRestrictedImports({ ...rejected, ...accepted });
  expect(Object.keys(rejected).filter((path) => !found.includes(path))).toEqual([]);
  expect(found.filter((path) => path in accepted)).toEqual([]);
});

test('lint rejects Node.js and folders of either side in what the command line and the console share', () => {
  const rejected = Object.fromEntries(
    ['node:fs', '@aws-sdk/lib-dynamodb', '../web/logo.ts', '../scripts/transfer/place.ts', '../local/npm.ts'].map(
      (module, at) => [`infra/transfer/${at}.ts`, `import * as module from '${module}';\nconsole.log(module);\n`],
    ),
  );
  const found = findRestrictedImports(rejected);
  // The project also has the files of the other test.
  expect(Object.keys(rejected).filter((path) => !found.includes(path))).toEqual([]);
});

test('lint rejects services and stacks in the tests that npm run check runs', () => {
  const source = ['../setup/local-service.ts', '../infra/construct/synth.ts', 'aws-cdk-lib', 'aws-cdk-lib/assertions']
    .map((module) => `import * as module from '${module}';\nconsole.log(module);\n`)
    .join('');
  const rejected = { 'test/new/kind.test.ts': source };
  const accepted = { 'test/new/kind.deployment.test.ts': source, 'test/infra/construct/kind.test.ts': source };
  expect(findRestrictedImports({ ...rejected, ...accepted }).filter((path) => path.includes('kind'))).toEqual(
    Object.keys(rejected).flatMap((path) => Array<string>(4).fill(path)),
  );
});

test('lib/ takes clock, chance and variables from lib/environment.ts, where a test can give others', () => {
  const readsEnvironment =
    /process\.env|Date\.now\(|new Date\(\)|Math\.random|performance\.now|\brandom(UUID|Bytes)\b.*'node:crypto'|AbortSignal\.timeout/;
  // The client runs elsewhere.
  const files = globSync('{lib,functions}/**/*.ts', { exclude: ['lib/client/**'] });
  expect(files.filter((file) => readsEnvironment.test(readFileSync(file, 'utf8')))).toEqual(['lib/environment.ts']);
});

test('lint rejects waits of a second, which a busy machine needs', () => {
  const waits = ['vi.waitFor(check);', 'vi.waitUntil(check);', 'vi.waitFor(check, 60_000);', 'expect.poll(check);'];
  write({ 'test/waits.ts': waits.join('\n') });
  const lines = [...lint('test/waits.ts').matchAll(/file=[^,]*waits\.ts,line=(?<line>\d+)/g)];
  expect(lines.map(({ groups }) => Number(groups?.line))).toEqual([1, 2]);
});
