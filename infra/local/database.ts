import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type Database = { endpoint: string; stop(): Promise<void> };

const STARTS_WITHIN = 10_000;

/** Ends the database when this process ends, however it ends: its standard input closes with us, even on SIGKILL. */
const WITH_PARENT = '"$@" & child=$!; cat >/dev/null; kill -9 $child 2>/dev/null; wait $child';

/** Starts the embedded DynamoDB, on a free port of loopback. Without a folder it keeps its data in memory only. */
export async function startDatabase(folder?: string): Promise<Database> {
  const port = await freePort();
  const storage = folder ? ['--db-path', databaseIn(folder)] : [];
  const command = [...dynoxide(), 'serve', '--host', '127.0.0.1', '--port', String(port), ...storage];
  const child = spawn('sh', ['-c', WITH_PARENT, 'sh', ...command], { stdio: ['pipe', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (text) => (output = `${output}${text}`.slice(-2000)));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => {
    child.stdin.end();
    return exited;
  };
  const end = Date.now() + STARTS_WITHIN;
  while (!(await isOpen(port))) {
    const failed = /^error.*$/m.exec(output)?.[0];
    if (failed || Date.now() > end) {
      await stop();
      throw new Error(
        `The embedded database did not start: ${failed ?? (output.trim() || `no answer in ${STARTS_WITHIN} ms`)}`,
      );
    }
    await sleep(5);
  }
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}

function databaseIn(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, 'users.db');
}

/** The package has binaries for some platforms; on others npx brings the one that fits. */
function dynoxide(): string[] {
  const require = createRequire(import.meta.url);
  try {
    return [require.resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`)];
  } catch {
    return ['npx', '--yes', 'dynoxide@1.2.1'];
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no free port')),
      );
    });
  });
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const tell = (open: boolean) => () => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', tell(true)).once('error', tell(false));
  });
}
