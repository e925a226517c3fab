import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Runs the script on Node.js 22. npm installs `command`, if there is one, as Node.js 24. */
function install(command?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'install-node-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [bin, installed, npm] = ['node_modules/.bin', 'infra/node/node_modules/.bin', 'npm.js'];
  for (const path of [bin, installed]) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, npm), '');
  if (command !== undefined) {
    writeFileSync(join(folder, installed, 'node'), command);
    chmodSync(join(folder, installed, 'node'), 0o755);
  }
  const pretend = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"22.23.2"}})';
  const { status, stderr } = spawnSync(process.execPath, ['--import', pretend, resolve('infra/node/install.mjs')], {
    cwd: folder,
    env: { ...process.env, npm_execpath: npm },
    encoding: 'utf8',
  });
  return { status, stderr, isLinked: existsSync(join(folder, bin, 'node')) };
}

test.skipIf(process.platform === 'win32').each([
  ['could not be downloaded', undefined],
  ['does not run, like the one for glibc on Alpine Linux', '#!/missing/interpreter'],
])('without Node.js 24, because its package %s, the message says what to do', (_, command) => {
  expect(install(command)).toEqual({
    status: 1,
    stderr: expect.stringMatching(
      /^Node\.js 24 is required, but this is 22\.23\.2\. .* Repeat npm ci, or install Node\.js 24\.\n$/,
    ),
    isLinked: false,
  });
});

test.skipIf(process.platform === 'win32')('scripts run on the installed Node.js', () => {
  expect(install('#!/bin/sh')).toEqual({ status: 0, stderr: '', isLinked: true });
});
