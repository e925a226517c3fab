import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '../..');
/** Git-ignored: the Python environments, and what a run leaves to be looked at. */
export const WORK_DIR = join(ROOT, '.e2e');

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort());

const LAST_LINES = 60;

/** Runs a command in the project's folder and gives what it wrote to stdout. Throws with the end of all it wrote. */
export async function run(command: string, args: string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  try {
    const options = { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024, signal: interrupted.signal };
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    const output = `${stdout}\n${stderr}`.trim().split('\n').slice(-LAST_LINES).join('\n');
    throw new Error(output || message, { cause: error });
  }
}

/** Runs a package's command on this Node, without npx: that would look for the command elsewhere if it were missing. */
export const runNode = (script: string, args: string[], env?: NodeJS.ProcessEnv): Promise<string> =>
  run(process.execPath, [join(ROOT, 'node_modules', script), ...args], env);
