import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const FIELDS = 'test/setup/person-fields.json';
const options = ['--table', 'users', '--issuer', 'https://id.example.org', '--fields', FIELDS];

test.each([
  [['missing.csv'], 'Not relinked: File not found: missing.csv\n'],
  [['infra'], 'Not relinked: infra is a folder: pass a file\n'],
])('relink rejects %j before it changes the table', (files, message) => {
  const { status, stderr } = spawnSync(process.execPath, ['infra/scripts/relink.ts', ...options, ...files], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: message });
});
