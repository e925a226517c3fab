import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ParseArgsOptionsConfig } from 'node:util';

/**
 * Returns a hint if npm kept options for itself: of `npm start --port 4000`, only `4000` reaches this program. npm passes
 * options that it does not know in the environment. It reads `--auth` as an abbreviation of `--auth-type` and drops
 * it, which is why `npm run start:auth` exists.
 */
export function findSwallowedOptions(
  options: ParseArgsOptionsConfig,
  args: string[],
  env: NodeJS.ProcessEnv,
): string | undefined {
  const { npm_lifecycle_event: script } = env;
  const isSwallowed = (name: string) =>
    env[`npm_config_${name}`] !== undefined && !args.some((arg) => arg.startsWith(`--${name}`));
  if (!script || !Object.keys(options).some(isSwallowed)) return undefined;
  const command = script === 'start' ? 'npm start' : `npm run ${script}`;
  return `npm kept options for itself. Write two dashes before them: ${command} -- [options]`;
}

/** The process of npm, and the parent of this one: npm itself, or the shell in which npm runs scripts. */
export type Npm = { pid: number; parent: number };

/** Finds the npm that runs this process, if one does. Call this first: nobody knows who started a process once that has ended. */
export function findNpm(): Npm | undefined {
  const { npm_lifecycle_script: script } = process.env;
  if (!script) return undefined;
  const parent = process.ppid;
  const described = describeProcess(parent);
  // Some shells replace themselves by the script: then npm is the parent.
  return { pid: described?.command.includes(script) ? described.parent : parent, parent };
}

/** Calls `end` once npm has ended. A killed npm sends no signal, so the service would keep its port. */
export function endWithNpm(npm: Npm | undefined, end: () => void): void {
  if (!npm) return;
  const timer = setInterval(() => {
    if (process.ppid === npm.parent && isRunning(npm.pid)) return;
    clearInterval(timer);
    end();
  }, 1000).unref();
}

/** Returns undefined on Windows, where a parent is not known. */
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
    // A process of another user is running, too.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
