import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '../..');
/** Git-ignored. */
export const WORK_DIR = join(ROOT, '.e2e');

// Allows Python to cache compiled files: otherwise each command compiles the AWS CLI again.
delete process.env.PYTHONDONTWRITEBYTECODE;

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort());

const MAX_ERROR_LINES = 60;

/** Returns stdout. Errors contain the end of the output. */
export async function run(command: string, args: string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  try {
    const options = { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024, signal: interrupted.signal };
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    const output = `${stdout}\n${stderr}`.trim().split('\n').slice(-MAX_ERROR_LINES).join('\n');
    throw new Error(output || message, { cause: error });
  }
}

/** Unlike npx, does not download a missing package. */
export const runNode = (script: string, args: string[], env?: NodeJS.ProcessEnv): Promise<string> =>
  run(process.execPath, [join(ROOT, 'node_modules', script), ...args], env);
