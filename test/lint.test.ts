import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const PLUGINS = ['test/lint/waits.grit', 'test/lint/zod.grit'];

const project = realpathSync(mkdtempSync(join(tmpdir(), 'lint-')));
afterAll(() => rmSync(project, { recursive: true }));

function findRestrictedImports(files: Record<string, string>): string[] {
  write(files);
  return findPaths(lint('.', '--only=style/noRestrictedImports'), 'lint/style/noRestrictedImports');
}

function findPaths(diagnostics: string, rule: string): string[] {
  const found = diagnostics.matchAll(/title=(?<rule>[^,]+),file=(?<path>[^,]+)/g);
  return [...found].flatMap(({ groups }) => (groups?.rule === rule ? relative(project, groups.path ?? '') : []));
}

function write(files: Record<string, string>): void {
  for (const file of ['biome.json', ...PLUGINS]) cpSync(file, join(project, file), { recursive: true });
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), source);
  }
}

function lint(path: string, ...options: string[]): string {
  const args = ['lint', ...options, '--reporter=github', '--max-diagnostics=none', '--vcs-enabled=false', path];
  return spawnSync(resolve('node_modules/.bin/biome'), args, { cwd: project, encoding: 'utf8' }).stdout;
}

test('lint rejects { z } from zod, which brings every locale into the bundles, and zod itself in bundles', () => {
  const rejected = {
    'lib/users/named.ts': "import { z } from 'zod/mini';\n",
    'lib/users/classic.ts': "import * as z from 'zod';\n",
    'functions/classic.ts': "import * as z from 'zod';\n",
    'infra/named.ts': "import { z } from 'zod';\n",
    'infra/type.ts': "import type { z } from 'zod';\n",
  };
  const accepted = {
    'lib/users/all.ts': "import * as z from 'zod/mini';\n",
    'infra/all.ts': "import * as z from 'zod';\n",
  };
  write({ ...rejected, ...accepted });
  expect(findPaths(lint('.'), 'plugin').toSorted()).toEqual(Object.keys(rejected).toSorted());
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
  // Other files may be found as well, because the folder still has the other test's files.
  expect(Object.keys(rejected).filter((path) => !found.includes(path))).toEqual([]);
});

test('lib/ takes clock, chance and variables from lib/environment.ts, where a test can give others', () => {
  const readsEnvironment =
    /process\.env|Date\.now\(|new Date\(\)|Math\.random|performance\.now|\brandom(UUID|Bytes)\b.*'node:crypto'|AbortSignal\.timeout/;
  // Excludes the client, because it runs in other programs.
  const files = globSync('{lib,functions}/**/*.ts', { exclude: ['lib/client/**'] });
  expect(files.filter((file) => readsEnvironment.test(readFileSync(file, 'utf8')))).toEqual(['lib/environment.ts']);
});
