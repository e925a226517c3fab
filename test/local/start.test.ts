import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { findRunning, listDescendants } from '../setup/processes.ts';

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

test('a service whose npm is killed ends, too', async () => {
  const script = `
    const { spawn } = require('node:child_process');
    spawn(process.execPath, ['infra/local/main.ts', '--memory', '--port', '0'], { stdio: 'inherit' });`;
  const env = { PATH: process.env.PATH, npm_lifecycle_event: 'start' };
  const npm = spawn(process.execPath, ['-e', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(npm.stdout, 'data');
  const processes = listDescendants(npm.pid);
  expect(processes.length).toBeGreaterThan(0);
  npm.kill('SIGKILL');
  await expect.poll(() => findRunning(processes), { timeout: 120_000 }).toEqual([]);
});
