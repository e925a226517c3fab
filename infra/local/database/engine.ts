import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Access } from './access.ts';
import { guardProcess, releaseProcess } from './guard.ts';

/** The access key has to be kept secret, as the endpoint has. */
export type Database = { endpoint: string; accessKeyId: string; stop(): Promise<void> };

/** Generous: a busy machine takes its time. */
const START_TIMEOUT_MS = 60_000;

/** Runs the command of a DynamoDB emulator, and waits until it listens. It ends with this process, however that ends. */
export async function startEngine(
  [command = '', ...args]: string[],
  { host, port, accessKeyId }: Access,
  folder?: string,
): Promise<Database> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    // In another process group: Ctrl-C in a terminal must not reach it before the service has ended its work.
    detached: process.platform !== 'win32',
    windowsHide: true,
    ...(folder === undefined ? {} : { cwd: folder }),
    // In the locale POSIX, Java cannot open a folder whose name is not ASCII.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  let output = '';
  child.stderr.on('data', (text) => (output = `${output}${text}`.slice(-2000)));
  const failed = once(child, 'error').then(([error]) => `${error.message}`);
  const exited = once(child, 'exit').then(() => output.trim() || 'it gave no reason');
  if (child.pid !== undefined) guardProcess(child.pid);
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    return stopEngine(child);
  };
  const reason = await Promise.race([failed, exited, waitUntilOpen(host, port, () => output)]);
  if (reason !== undefined) {
    await stop();
    throw new Error(`The embedded database did not start: ${reason}`);
  }
  // Without its database, the service would only reject requests.
  void exited.then((reason) => isStopping || endProcess(`The embedded database has ended: ${reason}`));
  return { endpoint: `http://${host}:${port}`, accessKeyId, stop };
}

function endProcess(message: string): void {
  console.error(message);
  process.exit(1);
}

/** At once: the engines write each change to disk before they answer. */
async function stopEngine(child: ChildProcess): Promise<void> {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined) return;
  if (exitCode === null && signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  releaseProcess(pid);
}

/** Gives the reason why it will not be opened, if there is one. */
async function waitUntilOpen(host: string, port: number, readOutput: () => string): Promise<string | undefined> {
  const end = Date.now() + START_TIMEOUT_MS;
  while (!(await isOpen(host, port))) {
    const error = /^error.*$/m.exec(readOutput())?.[0];
    if (error) return error;
    if (Date.now() > end) return readOutput().trim() || `no response within ${START_TIMEOUT_MS} ms`;
    await sleep(5);
  }
  return undefined;
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const settle = (open: boolean) => () => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', settle(true)).once('error', settle(false));
  });
}
