import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { FieldDeclarations } from '../../../infra/own-fields/rules.ts';

/** A copy of the sources, whose published fields the test changes. */
const folder = mkdtempSync(join(tmpdir(), 'published-fields-'));
for (const source of ['functions', 'infra', 'lib', 'package.json'])
  cpSync(source, join(folder, source), { recursive: true });
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(script: string, fields: FieldDeclarations) {
  writeFileSync(join(folder, 'cdk.json'), JSON.stringify({ context: { fields } }));
  // The CDK CLI gives the context of cdk.json to the app in this variable.
  const env = { PATH: process.env.PATH, CDK_CONTEXT_JSON: JSON.stringify({ fields }) };
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: folder, env, encoding: 'utf8' });
  return { status, stderr };
}
const publish = (fields: FieldDeclarations) => run('infra/scripts/publish-schema.ts', fields);
const synthesize = (fields: FieldDeclarations) => run('infra/app.ts', fields);
const readPublished = () => JSON.parse(readFileSync(join(folder, 'infra/own-fields/published.json'), 'utf8'));

test('this repository has published no fields', () => {
  expect(readFileSync('infra/own-fields/published.json', 'utf8')).toBe('{}\n');
});

test('publishing adds the types of the declared fields, and forgets none', () => {
  expect(publish({ age: { type: 'integer' }, tags: { type: 'string', list: true } })).toMatchObject({ status: 0 });
  expect(publish({ plan: { type: 'string' } })).toMatchObject({ status: 0 });
  expect(readPublished()).toEqual({ age: 'integer', tags: 'list of string', plan: 'string' });
});

test.each<[FieldDeclarations, string, string]>([
  [{ age: { type: 'string' } }, 'age cannot have the type string', 'integer'],
  [{ tags: { type: 'string' } }, 'tags cannot have the type string', 'list of string'],
  [{ plan: { type: 'string', list: true } }, 'plan cannot have the type list of string', 'string'],
])('the synthesis rejects %j in one sentence, and so does publishing', (fields, change, published) => {
  const sentence = `The field ${change}, because its published type is ${published} (infra/own-fields/published.json): declare a field of another name.\n`;
  expect(synthesize(fields)).toEqual({ status: 1, stderr: sentence });
  expect(publish(fields)).toEqual({ status: 1, stderr: sentence });
});

test('other changes of a published field, and other fields, are accepted', () => {
  const fields: FieldDeclarations = { age: { type: 'integer', unique: true }, nickname: { type: 'string' } };
  expect(synthesize(fields)).toMatchObject({ status: 0 });
});
