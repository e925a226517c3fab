import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('a Node.js that is too old ends in one sentence', () => {
  const pretend = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"22.23.2"}})';
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', pretend, 'infra/local/start.mjs'], {
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Not started: this is Node\.js 22\.23\.2, and [^\n]+\n$/),
  });
});
