import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readOptions } from '../../../infra/local/options.ts';

const cache = mkdtempSync(join(tmpdir(), 'npm-cache-'));
afterAll(() => rmSync(cache, { recursive: true }));

/** The invalid PORT ends a service that does not detect the lost options. */
function npm(...args: string[]) {
  const settings = { HOME: cache, npm_config_cache: cache, npm_config_update_notifier: 'false' };
  const env = { PATH: process.env.PATH, PORT: 'none', ...settings };
  const { status, stderr } = spawnSync('npm', args, { env, encoding: 'utf8' });
  return { status, error: stderr.split('\n').find((line) => /^No/.test(line)) };
}

test.each([
  [['start', '--memory'], 'npm start -- [options]'],
  [['run', 'dev', '--sample', '10', '--', '--memory'], 'npm run dev -- [options]'],
  [['run', '-s', 'token', '--scope=users:write'], 'npm run token -- [options]'],
])('npm %j prints the command with --', (args, command) => {
  const { status, error } = npm(...args);
  expect({ status, error }).toEqual({
    status: 1,
    error: expect.stringContaining(`two dashes before them: ${command}`),
  });
});

test('options after -- reach the service', () => {
  expect(npm('start', '--', '--auth').error).toMatch('PORT, must be a number');
});

test('npm run start:auth requires tokens and accepts further options', () => {
  expect(
    npm('run', 'start:auth', '--', '--port', '0', '--issuer', 'https://a.example', '--audience', 'a').error,
  ).toMatch('--auth starts its own issuer');
});

test('no hint for an option that is also given after --', () => {
  const env = { npm_lifecycle_event: 'start', npm_config_memory: 'true' };
  expect(readOptions(['--memory'], env).memory).toBe(true);
  expect(() => readOptions([], env)).toThrow('Write two dashes before them: npm start -- [options]');
});
