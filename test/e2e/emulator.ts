import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '../../infra/local/database/engine.ts';
import { createCleanEnvironment, REGION } from './environment.ts';
import { WORK_DIR } from './run.ts';

export type Emulator = AsyncDisposable & {
  endpoint: string;
  /** Path and content of the certificate. */
  certificate: string;
  ca: string;
  /** Converts an AWS URL to the emulator's host name. */
  toApiHost(url: string): string;
};

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/** Starts the emulator with IAM policies, and with TLS, because policies of bucket, queue and topic require it. */
export async function startEmulator(commands: string): Promise<Emulator> {
  // Outside the project, so functions cannot load its node_modules.
  const temporary = await mkdtemp(join(tmpdir(), 'e2e-'));
  // An empty package.json keeps the emulator's scripts CommonJS.
  await writeFile(join(temporary, 'package.json'), '{}');
  const certificate = join(temporary, 'ministack-tls', 'server.crt');
  const port = await findFreePort();
  const ministack = spawn(join(commands, 'ministack'), {
    // Emulated functions join this process group.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...createCleanEnvironment(),
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      LAMBDA_EXECUTOR: 'local',
      MINISTACK_REGION: REGION,
      NODE_EXTRA_CA_CERTS: certificate,
      NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'awslambda.ts'))}`,
      TMPDIR: temporary,
      USE_SSL: '1',
    },
  });
  const end = async () => {
    await stop(ministack);
    await rm(temporary, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(ministack);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    endpoint: `https://127.0.0.1:${port}`,
    certificate,
    ca: await readFile(certificate, 'utf8'),
    toApiHost: (url) => `${new URL(url).host.split('.')[0]}.execute-api.localhost`,
    [Symbol.asyncDispose]: end,
  };
}

/** Also writes a log file. */
async function waitUntilReady(ministack: ChildProcess): Promise<void> {
  const log = createWriteStream(join(WORK_DIR, 'emulator.log'));
  let output = '';
  const listening = new Promise<void>((resolve) => {
    for (const stream of [ministack.stdout, ministack.stderr]) {
      stream?.pipe(log, { end: false });
      stream?.on('data', (text) => {
        output = `${output}${text}`.slice(-2_000);
        if (output.includes('Running on https://')) resolve();
      });
    }
  });
  const failed = once(ministack, 'exit').then(() => {
    throw new Error(`The emulator did not start (it needs openssl on the PATH):\n${output}`);
  });
  failed.catch(() => {}); // An exit is normal after the start.
  const timedOut = sleep(START_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`The emulator was not ready within ${START_TIMEOUT_MS} ms:\n${output}`);
  });
  await Promise.race([listening, failed, timedOut]);
}

async function stop(ministack: ChildProcess): Promise<void> {
  const ended = ministack.exitCode === null && ministack.signalCode === null ? once(ministack, 'exit') : undefined;
  signalGroup(ministack, 'SIGTERM');
  await Promise.race([ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  signalGroup(ministack, 'SIGKILL');
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
