import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [`infra/scripts/${script}.ts`, ...args], { encoding: 'utf8', input: '' });

test.each(['bill', 'token', 'map-stack', 'redrive'])('%s rejects an argument too many, and prints --help', (script) => {
  expect(run(script, 'infra', 'extra')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^No.*\nn/),
  });
  expect(run(script, '--help')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^npm run /) });
});

test.each([
  ['check-table', ['--table', 'one', '--table', 'two'], 'Not checked: --table is set twice: set it once'],
  ['bill', ['--rps=1', '--rps=2'], 'Not calculated: --rps is set twice: set it once'],
  ['export', ['--posts', '--posts', 'x.csv'], 'Not exported: --posts is set twice: set it once'],
  ['erase', ['--table', '', 'an-id'], 'Not erased: --table is empty: pass a value, or omit the option'],
  ['import', ['--map', '', 'package.json'], 'Not imported: --map is empty: pass a value, or omit the option'],
  [
    'export',
    ['--table', 'x', '--token', 'y', 'z.csv'],
    'Not exported: --token requires a deployment, not --table or --data',
  ],
  ['export', ['--sigv4', '--token', 'y', 'z.csv'], 'Not exported: Use only one of --token and --sigv4'],
])('%s %j is rejected in one sentence', (script, args, sentence) => {
  expect(run(script, ...args)).toMatchObject({ status: 1, stdout: '', stderr: `${sentence}\n` });
});
