import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkOutputs } from '../../../../infra/scripts/transfer/outputs.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
mkdirSync(at('data'));
for (const name of ['users.csv', 'fields.json', 'other.csv', 'data/users.db']) writeFileSync(at(name), '');
linkSync(at('users.csv'), at('hard-link'));
symlinkSync(at('users.csv'), at('symbolic-link'));
symlinkSync(folder, at('folder-link'));

const inputs = { file: at('users.csv'), fields: at('fields.json'), data: at('data') };

describe('a file that a command reads', () => {
  test.each([
    ['by its name', at('users.csv')],
    ['by another spelling', `${folder}/data/..//users.csv`],
    ['by a relative path', relative(process.cwd(), at('users.csv'))],
    ['by a hard link', at('hard-link')],
    ['by a symbolic link', at('symbolic-link')],
    ['by the link of a folder', at('folder-link/users.csv')],
    ['as its own fields', at('fields.json')],
    ['as its database', at('data/users.db')],
  ])('is not written %s', (_, output) => {
    expect(() => checkOutputs([at('new'), output], inputs)).toThrow(
      `${output} would be overwritten, but is also the input`,
    );
  });
});

test('a file in a missing folder is not written, and a file instead of a database folder is no error here', () => {
  expect(() => checkOutputs([at('missing/new')], inputs)).toThrow(`No file can be created in ${at('missing')} (ENOENT`);
  expect(() => checkOutputs([at('new')], { data: at('fields.json') })).not.toThrow();
});

test('what is no regular file is not written', () => {
  for (const output of ['/dev/null', folder])
    expect(() => checkOutputs([output], inputs)).toThrow(`${output} is not a regular file`);
});

test('other files are written', () => {
  expect(() => checkOutputs([at('new'), at('other.csv')], inputs)).not.toThrow();
  expect(() => checkOutputs([at('new')], { ...inputs, data: at('no-folder') })).not.toThrow();
});
