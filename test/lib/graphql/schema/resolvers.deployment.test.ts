import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'resolvers-'));
beforeAll(() => {
  for (const path of ['lib', 'infra/scripts/generate-graphql-types.ts', 'package.json', 'tsconfig.json'])
    cpSync(path, join(folder, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'tsconfig.lib.json'), '{ "extends": "./tsconfig.json", "include": ["lib"] }');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Generates the types of the resolvers for the schema with more fields. Returns the errors of the compiler. */
function compileWith(extensions: string): string {
  const definitions = readFileSync('lib/graphql/schema/schema.graphql', 'utf8');
  writeFileSync(join(folder, 'lib/graphql/schema/schema.graphql'), definitions + extensions);
  execFileSync(process.execPath, ['infra/scripts/generate-graphql-types.ts'], { cwd: folder });
  const tsc = resolve('node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', 'tsconfig.lib.json'], { cwd: folder, encoding: 'utf8' }).stdout;
}

/** Returns the compiler's message about the type that requires resolvers or rights. */
const readRequirement = (errors: string, exported: string): string => {
  const line = readFileSync('lib/graphql/schema/completeness.ts', 'utf8')
    .split('\n')
    .findIndex((text) => text.includes(`export type ${exported}`));
  const [, after = ''] = errors.split(`lib/graphql/schema/completeness.ts(${line + 1},`);
  return after;
};

test('a root field without rights does not compile', () => {
  const errors = compileWith('extend type Query { authors: Int } extend type Subscription { ticked: Int }');
  const requirement = readRequirement(errors, 'AllHaveRights');
  expect(requirement).toContain('"Query.authors"');
  expect(requirement).toContain('"Subscription.ticked"');
});

test.each([
  [
    'resolver',
    `extend type Query { authors: Int }
     extend type Mutation { touchUser: User }
     extend type Subscription { ticked: Int }
     extend type User { unresolved: String! }
     extend type UserConnection { pages: Int }`,
  ],
  [
    'value, where resolvers of another type return it,',
    `extend type CreateUserPayload { warning: String }
     extend type UserEdge { rank: Int }
     extend type PageInfo { number: Int }`,
  ],
])('a field of the schema without its %s does not compile', (_, extensions) => {
  const errors = compileWith(extensions);
  const fields = Array.from(extensions.matchAll(/(\w+ \{ \w+)/g), ([, field = '']) => field.split(' { '));
  const isNamed = ([type, field]: string[]) =>
    errors.includes(`"${type}.${field}"`) || errors.includes(`'${field}' is missing`);
  expect(fields.filter((field) => !isNamed(field))).toEqual([]);
});
