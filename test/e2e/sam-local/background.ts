import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, WORK_DIR } from '../run.ts';

const LOGS = join(WORK_DIR, 'sam-local');
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;

/** Runs a command with its child processes. Logs to `.e2e/sam-local/<name>.log`. */
export async function startInBackground(
  name: string,
  command: string,
  env: NodeJS.ProcessEnv,
  isReady: () => Promise<unknown>,
): Promise<AsyncDisposable> {
  await mkdir(LOGS, { recursive: true });
  const file = join(LOGS, `${name}.log`);
  const log = await open(file, 'w');
  const child = spawn('bash', ['-c', command], {
    cwd: ROOT,
    env,
    // The process group includes child processes.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const exited = once(child, 'exit');
  const signal = (name: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(-child.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const stop = async () => {
    signal('SIGTERM');
    await Promise.race([exited, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    signal('SIGKILL');
  };
  const ended = exited.then(() => {
    throw new Error('It ended');
  });
  ended.catch(() => {}); // An end is normal after the start.
  try {
    await Promise.race([ended, waitUntil(isReady)]);
  } catch (error) {
    await stop();
    throw new Error(`${command}\n${(error as Error).message}:\n${await readFile(file, 'utf8')}`);
  }
  return { [Symbol.asyncDispose]: stop };
}

export async function waitUntil(isReady: () => Promise<unknown>): Promise<void> {
  const end = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady().catch(() => false))) {
    if (Date.now() > end) throw new Error(`It was not ready within ${START_TIMEOUT_MS} ms`);
    await sleep(50);
  }
}
