import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readOptions } from '../../infra/local/options.ts';

const cache = mkdtempSync(join(tmpdir(), 'npm-cache-'));
const logs = join(cache, '_logs');
beforeEach(() => rmSync(logs, { recursive: true, force: true }));
afterAll(() => rmSync(cache, { recursive: true }));

/** A service that misses the options ends, too: PORT is no number. */
function npm(...args: string[]) {
  const settings = { HOME: cache, npm_config_cache: cache, npm_config_update_notifier: 'false' };
  const env = { PATH: process.env.PATH, PORT: 'none', ...settings };
  const { status, stderr } = spawnSync('npm', args, { env, encoding: 'utf8' });
  return { status, error: stderr.split('\n').find((line) => /^No/.test(line)) };
}

test.each([
  [['start', '--auth'], 'npm start -- --auth'],
  [['start', '-p', '4000', '--engine=dynamodb-local'], 'npm start -- --port 4000 --engine dynamodb-local'],
  [['run', 'dev', '--sample', '10', '--', '--memory'], 'npm run dev -- --sample 10 --memory'],
  [['run', '-s', 'token', '--scope', 'users:write'], 'npm run token -- --scope users:write'],
])('npm %j is answered with the command that has the dashes', (args, command) => {
  expect(npm(...args)).toEqual({
    status: 1,
    error: expect.stringMatching(new RegExp(`npm kept options for itself\\. .*: ${command}$`)),
  });
});

test('options after the dashes are read', () => {
  expect(npm('start', '--', '--auth').error).toMatch('PORT, must be a number');
});

describe('the log of npm', () => {
  const project = join(tmpdir(), 'project');
  const env = {
    npm_lifecycle_event: 'start',
    npm_config_cache: cache,
    npm_config_local_prefix: project,
    npm_config_memory: 'true',
  };
  /** Written by npm at its start, so many seconds ago. */
  function writeLog(secondsAgo: number, words: string[], folder = project) {
    mkdirSync(logs, { recursive: true });
    const time = new Date(Date.now() - secondsAgo * 1000).toISOString().replace(/[.:]/g, '_');
    const argv = words.map((word) => JSON.stringify(word)).join(' ');
    const lines = [`4 silly config load:file:${join(folder, '.npmrc')}`, `9 verbose argv ${argv}`, ''];
    writeFileSync(join(logs, `${time}-debug-0.log`), lines.join('\n'));
  }

  test.each([
    [['start', '--port', '4000', '--memory'], 'npm start -- --port 4000 --memory'],
    [['start', '--cors', 'http://a.test', '--auth'], 'npm start -- --cors http://a.test --auth'],
    [['--loglevel', 'silent', 'start', '--parseable', '4000'], 'npm start -- --port 4000'],
    [['start', '--data', 'my "data"', '--', '--memory'], 'npm start -- --data "my \\"data\\"" --memory'],
  ])('%j tells the order and the values', (words, command) => {
    writeLog(1, words);
    expect(() => readOptions([], env)).toThrow(
      new Error(`npm kept options for itself. Write two dashes before them: ${command}`),
    );
  });

  test('tells that a setting of npm is no option', () => {
    writeLog(1, ['start']);
    expect(readOptions([], env).memory).toBe(false);
  });

  test('is the newest of this project and script', () => {
    writeLog(9, ['start', '--auth']);
    writeLog(8, ['start', '--', '--port', '4000']);
    writeLog(7, ['run', 'dev', '--auth']);
    writeLog(6, ['start', '--auth'], tmpdir());
    expect(readOptions(['--port', '4000'], env).port).toBe(4000);
  });

  test.each(['missing', 'old'])('is not needed to notice most options when it is %s', (state) => {
    if (state === 'old') writeLog(3600, ['start']);
    expect(() => readOptions([], env)).toThrow('Write two dashes before them: npm start -- [options]');
    expect(readOptions(['--memory'], env).memory).toBe(true);
  });
});
