import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** `parent`: npm, or the shell of the script. */
export type Npm = { pid: number; parent: number };

/** Call this at startup: the pid of a dead parent cannot be found. */
export function findNpm(): Npm | undefined {
  const { npm_lifecycle_script: script } = process.env;
  if (!script) return undefined;
  const parent = process.ppid;
  const described = describeProcess(parent);
  // The parent is the shell of the script, or npm if the shell has replaced itself by this process.
  return { pid: described?.command.includes(script) ? described.parent : parent, parent };
}

/** Ends this process with npm: a killed npm sends no signal, and this process would keep its port. */
export function endWithNpm(npm: Npm | undefined, end: () => void): void {
  if (!npm) return;
  const timer = setInterval(() => {
    if (process.ppid === npm.parent && isRunning(npm.pid)) return;
    clearInterval(timer);
    end();
  }, 1000).unref();
}

function describeProcess(pid: number): { parent: number; command: string } | undefined {
  try {
    if (process.platform === 'linux') {
      const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return { parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') };
    }
    const [, parent, command = ''] =
      /(\d+) (.*)/.exec(execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' })) ?? [];
    return { parent: Number(parent), command };
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Other errors, such as EPERM for another user's process, mean that the process runs.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
