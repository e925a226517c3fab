import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundle } from '../../../infra/construct/bundling/bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
afterAll(() => rmSync(folder, { recursive: true }));
await bundle(['get-user'], folder);
const code = join(folder, 'get-user');
const file = join(code, 'get-user.mjs');

const mapStack = (input: string, ...args: string[]) =>
  spawnSync(process.execPath, ['infra/scripts/map-stack.ts', ...args], { input, encoding: 'utf8' });

/** Returns a text's line and column, as in stack traces. */
function findPosition(text: string): string {
  const before = readFileSync(file, 'utf8').split(text)[0] ?? '';
  const lines = before.split('\n');
  return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}

test('positions in a bundle are mapped to source lines, other positions stay', () => {
  const text = ' has no path parameter';
  const line = readFileSync('lib/rest/requests.ts', 'utf8').split(text)[0]?.split('\n').length;
  const runtime = '    at async Runtime.handleOnce (file:///var/runtime/index.mjs:1:2)\n';
  const stack = `Error: x\n    at d (file:///var/task/get-user.mjs:${findPosition(text)})\n${runtime}`;
  const { stdout, status } = mapStack(stack, code);
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`^Error: x\n    at d \\(.*lib/rest/requests\\.ts:${line}:\\d+\\)\n`));
  expect(stdout).toContain(runtime);
});

test('the source map is deployed beside the bundle, without its sources, and not loaded by Node', () => {
  expect(existsSync(`${file}.map`)).toBe(true);
  expect(JSON.parse(readFileSync(`${file}.map`, 'utf8'))).not.toHaveProperty('sourcesContent');
  expect(readFileSync(file, 'utf8')).not.toContain('sourceMappingURL');
});

test('without a folder the help is printed', () => {
  expect(mapStack('')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('Pass one folder.\nnpm run'),
  });
});
