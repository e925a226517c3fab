import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run, WORK_DIR } from './run.ts';

const NEEDED = [3, 10];
const NAMES = ['python3', 'python', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];

/**
 * A virtual environment that holds exactly what `<name>.txt` beside this file pins; made anew when the pins change.
 * Gives the folder of its commands. Throws one sentence where there is no Python to make it with.
 */
export async function pythonCommands(name: 'emulator' | 'template-tools'): Promise<string> {
  const pins = join(import.meta.dirname, `${name}.txt`);
  const folder = join(WORK_DIR, name);
  const receipt = join(folder, 'installed.txt');
  const wanted = await readFile(pins, 'utf8');
  const commands = join(folder, 'bin');
  if ((await readFile(receipt, 'utf8').catch(() => '')) === wanted) return commands;
  const python = await findPython();
  await rm(folder, { recursive: true, force: true });
  await run(python, ['-m', 'venv', folder]);
  const quickly = ['--disable-pip-version-check', '--quiet', '--no-compile'];
  await run(join(commands, 'pip'), ['install', ...quickly, '--requirement', pins]);
  await writeFile(receipt, wanted);
  return commands;
}

async function findPython(): Promise<string> {
  for (const name of NAMES) {
    const version = await run(name, ['-c', 'import sys; print(*sys.version_info[:2])']).catch(() => '');
    const [major = 0, minor = 0] = version.split(' ').map(Number);
    if (major === NEEDED[0] && minor >= (NEEDED[1] ?? 0)) return name;
  }
  throw new Error(`This needs Python ${NEEDED.join('.')} or later, with its venv module, on the PATH; there is none.`);
}
