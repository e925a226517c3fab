import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run, WORK_DIR } from './run.ts';

const MIN_VERSION = [3, 11];
const NAMES = ['python3', 'python', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];

/** The first lines of each file explain how to create it. */
export type PythonTools = 'emulator' | 'template-tools' | 'shell-tools' | 'schemathesis' | 'client-generators';

/** Installs only listed files with their hashes, and runs no build scripts. */
const VERIFIED = ['--require-hashes', '--no-deps', '--only-binary', ':all:'];
const QUICK = ['--disable-pip-version-check', '--quiet', '--no-compile'];

/**
 * Installs `<name>.txt` into a virtual environment, again if it changes. Returns the commands' folder. Throws without a
 * suitable Python.
 */
export async function installPythonTools(name: PythonTools): Promise<string> {
  const pins = join(import.meta.dirname, `${name}.txt`);
  const folder = join(WORK_DIR, name);
  const receipt = join(folder, 'installed.txt');
  const pinned = await readFile(pins, 'utf8');
  const commands = join(folder, 'bin');
  if ((await readFile(receipt, 'utf8').catch(() => '')) === pinned) return commands;
  const python = await findPython();
  await rm(folder, { recursive: true, force: true });
  await run(python, ['-m', 'venv', folder]);
  await run(join(commands, 'pip'), ['install', ...VERIFIED, ...QUICK, '--requirement', pins]);
  await writeFile(receipt, pinned);
  return commands;
}

async function findPython(): Promise<string> {
  for (const name of NAMES) {
    const version = await run(name, ['-c', 'import sys; print(*sys.version_info[:2])']).catch(() => '');
    const [major = 0, minor = 0] = version.split(' ').map(Number);
    if (major === MIN_VERSION[0] && minor >= (MIN_VERSION[1] ?? 0)) return name;
  }
  throw new Error(`Python ${MIN_VERSION.join('.')} or later with its venv module is required on the PATH.`);
}
