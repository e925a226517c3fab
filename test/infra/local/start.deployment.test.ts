import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { findRunning, listDescendants } from '../../setup/processes.ts';

const { scripts } = packageJson;

/** Runs a script as npm does on Node.js 22. */
function runOnOldNode(script: keyof typeof scripts) {
  const pretend = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"22.23.2"}})';
  const [command, ...args] = scripts[script].split(' ');
  expect(command).toBe('node');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', pretend, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

// `check:types` generates first.
test.each(['start', 'dev', 'token', 'generate'] as const)(
  'npm run %s ends in one sentence on an old Node.js',
  (script) => {
    expect(runOnOldNode(script)).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Not started: this is Node\.js 22\.23\.2, and [^\n]+\n$/),
    });
  },
);

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
