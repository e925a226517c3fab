import { spawn, spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { findRunning, listDescendants } from '../../setup/processes.ts';

const { scripts } = packageJson;

function runOnOldNode(command: string) {
  const pretend = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"22.23.2"}})';
  const [node, ...args] = command.split(' ');
  expect(node).toBe('node');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', pretend, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

// Omits `check:types`, because it starts with `generate`.
test.each(['start', 'dev', 'token', 'generate'] as const)(
  'npm run %s fails with one sentence on an old Node.js',
  (script) => {
    expect(runOnOldNode(scripts[script])).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^Not started: Node\.js 24 or later is required, but this is 22\.23\.2\. [^\n]+\n$/,
      ),
    });
  },
);

test('vitest on an old Node.js names commands that use the right one', () => {
  const { status, stderr } = runOnOldNode('node node_modules/vitest/vitest.mjs list --project construct');
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^Not started: Node\.js 24 or later is required, .* "npm test -- FILE" or "npx vitest"[^\n]+\n$/,
  );
});

test.skipIf(process.platform === 'win32').each(['start', 'run dev'])(
  'the processes of npm %s end when npm is killed',
  async (script) => {
    const { PATH, HOME } = process.env;
    const args = [...script.split(' '), '--', '--memory', '--port', '0'];
    const npm = spawn('npm', args, { env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    npm.stdout.on('data', (text) => (output += text));
    await expect.poll(() => output).toContain('Console');
    const processes = listDescendants(npm.pid);
    expect(processes.length).toBeGreaterThan(1);
    // Kills remaining processes, which would keep this test's output pipe open.
    onTestFinished(() => findRunning(processes).forEach(({ pid }) => void process.kill(pid, 'SIGKILL')));
    npm.kill('SIGKILL');
    await expect.poll(() => findRunning(processes), { timeout: 120_000 }).toEqual([]);
  },
);
