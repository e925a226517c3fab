import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { guardProcess, releaseProcess } from '../../infra/local/database/engine.ts';
import { GENEROUS_TIME_LIMITS } from './time-limits.ts';

/** `printed`: standard output so far. `warned`: standard error. */
export type LocalService = {
  url: string;
  process: ChildProcess;
  printed(): string;
  warned(): string;
  stop(): Promise<void>;
};
export type ExitResult = { code: number | null; signal: NodeJS.Signals | null; output: string; errors: string };

/** Starts the service without the test run's variables, which name the tests' table. */
function run(args: string[], environment: Record<string, string>, cwd = process.cwd()) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['infra/local/main.ts', ...args], {
    env: { PATH, NODE_COMPILE_CACHE, ...GENEROUS_TIME_LIMITS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  // If the test run is killed, a guard kills the service. The service's guard kills its database.
  const { pid } = child;
  if (pid !== undefined) guardProcess(pid);
  const printed = { output: '', errors: '' };
  child.stdout.on('data', (text) => (printed.output += text));
  child.stderr.on('data', (text) => (printed.errors += text));
  const ended = once(child, 'close').then(([code, signal]): ExitResult => {
    if (pid !== undefined) releaseProcess(pid);
    return { code, signal, ...printed };
  });
  return { child, printed, ended };
}

export const runToEnd = (args: string[], environment: Record<string, string> = {}): Promise<ExitResult> =>
  run(args, environment).ended;

/** Takes a free port unless `args` has one. `folder`: another copy of the sources. */
export async function startLocalService(
  args: string[] = ['--memory'],
  environment: Record<string, string> = {},
  folder?: string,
): Promise<LocalService> {
  const { child, printed, ended } = run(args.includes('--port') ? args : ['--port', '0', ...args], environment, folder);
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', () => {
      const { origin } = /(?<origin>http:\S+)\/graphql/.exec(printed.output)?.groups ?? {};
      if (origin) resolve(origin);
    });
  });
  const failed = ended.then(({ code, errors }): never => {
    throw new Error(`The local service ended with ${code} before it was ready: ${errors}`);
  });
  const url = await Promise.race([ready, failed]);
  failed.catch(() => {}); // After the start, an exit is not an error.
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url, process: child, printed: () => printed.output, warned: () => printed.errors, stop };
}
