import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from './free-port.ts';

export type Database = { endpoint: string; stop(): Promise<void> };

/** Generous: a busy machine takes its time. */
const START_TIMEOUT_MS = 60_000;

/** Stops the database when this process ends, even by SIGKILL: its standard input is closed then. */
const STOP_WITH_PARENT = '"$@" & child=$!; cat >/dev/null; kill -9 $child 2>/dev/null; wait $child';

/** Starts the embedded DynamoDB on a free port of 127.0.0.1. Without a folder, data is kept in memory only. */
export async function startDatabase(folder?: string): Promise<Database> {
  const port = await findFreePort();
  const storage = folder ? ['--db-path', createDatabasePath(folder)] : [];
  return startEngine([...findDynoxide(), 'serve', '--host', '127.0.0.1', '--port', String(port), ...storage], port);
}

/** Runs the command of a DynamoDB emulator, and waits until it listens on the port. */
export async function startEngine(command: string[], port: number): Promise<Database> {
  const child = spawn('sh', ['-c', STOP_WITH_PARENT, 'sh', ...command], { stdio: ['pipe', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (text) => (output = `${output}${text}`.slice(-2000)));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => {
    child.stdin.end();
    return exited;
  };
  const end = Date.now() + START_TIMEOUT_MS;
  while (!(await isOpen(port))) {
    const failed = /^error.*$/m.exec(output)?.[0];
    if (failed || Date.now() > end) {
      await stop();
      throw new Error(
        `The embedded database did not start: ${failed ?? (output.trim() || `no response within ${START_TIMEOUT_MS} ms`)}`,
      );
    }
    await sleep(5);
  }
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}

function createDatabasePath(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, 'users.db');
}

/** npm installs the binary for some platforms; for others npx downloads it. */
function findDynoxide(): string[] {
  const require = createRequire(import.meta.url);
  try {
    return [require.resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`)];
  } catch {
    return ['npx', '--yes', 'dynoxide@1.2.1'];
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (open: boolean) => () => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', settle(true)).once('error', settle(false));
  });
}
