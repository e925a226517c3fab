import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('a command names the required Node.js where node:sqlite needs a flag, as in Node.js 22.12', () => {
  const args = ['--no-experimental-sqlite', 'infra/package/command.ts', 'check-table', '--help'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'The commands require Node.js 22.13 or later.\n',
  });
});
