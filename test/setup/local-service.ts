import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export type LocalService = { url: string; process: ChildProcess; stop(): Promise<void> };
export type Ending = { code: number | null; signal: NodeJS.Signals | null; output: string; errors: string };

/** Its environment is the bare one of a fresh machine, plus what is given: nothing of the test run's own tables. */
function run(args: string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, ['infra/local/main.ts', ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { output: '', errors: '' };
  child.stdout.on('data', (text) => (said.output += text));
  child.stderr.on('data', (text) => (said.errors += text));
  const ended = once(child, 'close').then(([code, signal]): Ending => ({ code, signal, ...said }));
  return { child, said, ended };
}

/** Runs `npm start` to its end, which is to come by itself. */
export const runToEnd = (args: string[], environment: Record<string, string> = {}): Promise<Ending> =>
  run(args, environment).ended;

/** Runs `npm start` until it says that it is ready; on a free port unless the arguments name one. */
export async function startLocalService(
  args: string[] = ['--memory'],
  environment: Record<string, string> = {},
): Promise<LocalService> {
  const { child, said, ended } = run(args.includes('--port') ? args : ['--port', '0', ...args], environment);
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', () => {
      const { origin } = /(?<origin>http:\S+)\/graphql/.exec(said.output)?.groups ?? {};
      if (origin) resolve(origin);
    });
  });
  const failed = ended.then(({ code, errors }): never => {
    throw new Error(`The local service ended with ${code} before it was ready: ${errors}`);
  });
  const url = await Promise.race([ready, failed]);
  failed.catch(() => {}); // Once it is ready, its end is no failure.
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url, process: child, stop };
}
