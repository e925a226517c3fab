import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { FieldDeclarations } from '../../../infra/own-fields/rules.ts';
import { copySources, writeEnvironments } from '../../setup/sources.ts';

const folder = copySources();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(script: string, fields: FieldDeclarations) {
  writeEnvironments(folder, { default: {}, staging: { stackName: 'Staging', fields } });
  const env = { PATH: process.env.PATH };
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: folder, env, encoding: 'utf8' });
  return { status, stderr };
}
const publish = (fields: FieldDeclarations) => run('infra/scripts/publish-schema.ts', fields);
const synthesize = (fields: FieldDeclarations) => run('infra/app.ts', fields);
const readPublished = () => JSON.parse(readFileSync(join(folder, 'infra/own-fields/published.json'), 'utf8'));

test('this repository has published no fields', () => {
  expect(readFileSync('infra/own-fields/published.json', 'utf8')).toBe('{}\n');
});

test('publishing adds the types of declared fields, and keeps former ones', () => {
  expect(publish({ age: { type: 'integer' }, tags: { type: 'string', list: true } })).toMatchObject({ status: 0 });
  expect(publish({ plan: { type: 'string' } })).toMatchObject({ status: 0 });
  expect(readPublished()).toEqual({ age: 'integer', tags: 'list of string', plan: 'string' });
});

test.each<[FieldDeclarations, string, string]>([
  [{ age: { type: 'string' } }, 'age cannot have the type string', 'integer'],
  [{ tags: { type: 'string' } }, 'tags cannot have the type string', 'list of string'],
  [{ plan: { type: 'string', list: true } }, 'plan cannot have the type list of string', 'string'],
])('the synthesis and publishing reject %j with one line', (fields, change, published) => {
  const sentence = `The field ${change}: its published type is ${published} (infra/own-fields/published.json). Declare a field with another name.\n`;
  expect(synthesize(fields)).toEqual({ status: 1, stderr: sentence });
  expect(publish(fields)).toEqual({ status: 1, stderr: sentence });
});

test('other changes of a published field, and other fields, are accepted', () => {
  const fields: FieldDeclarations = { age: { type: 'integer', unique: true }, nickname: { type: 'string' } };
  expect(synthesize(fields)).toMatchObject({ status: 0 });
});
