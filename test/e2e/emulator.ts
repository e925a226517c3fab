import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { REGION, withoutAws } from './environment.ts';
import { WORK_DIR } from './run.ts';

export type Emulator = AsyncDisposable & {
  endpoint: string;
  /** The file of the certificate that the endpoint shows, and what is in it. */
  certificate: string;
  ca: string;
  /** The host name under which it serves the API of an AWS URL. */
  apiHost(url: string): string;
};

const STARTS_WITHIN_MS = 60_000;
const ENDS_WITHIN_MS = 5_000;

/**
 * Starts ministack on loopback. It speaks TLS, since the policies of CDK's bucket and of our queue and topic refuse
 * requests without, and evaluates IAM policies, so that each function can do no more than its grants say.
 */
export async function startEmulator(commands: string): Promise<Emulator> {
  // Outside the project, lest a function finds in node_modules what its bundle lacks.
  const temporary = await mkdtemp(join(tmpdir(), 'e2e-'));
  const certificate = join(temporary, 'ministack-tls', 'server.crt');
  const port = await findFreePort();
  const ministack = spawn(join(commands, 'ministack'), {
    // A group of its own, which the functions that it starts are in too.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...withoutAws(),
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      LAMBDA_EXECUTOR: 'local',
      MINISTACK_REGION: REGION,
      NODE_EXTRA_CA_CERTS: certificate,
      // The functions run on this very Node, given the global that Lambda's runtime has.
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
    await ready(ministack);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    endpoint: `https://127.0.0.1:${port}`,
    certificate,
    ca: await readFile(certificate, 'utf8'),
    apiHost: (url) => `${new URL(url).host.split('.')[0]}.execute-api.localhost`,
    [Symbol.asyncDispose]: end,
  };
}

/** Its log goes to a file from the start. */
async function ready(ministack: ChildProcess): Promise<void> {
  const log = createWriteStream(join(WORK_DIR, 'emulator.log'));
  let said = '';
  const saysSo = new Promise<void>((resolve) => {
    for (const output of [ministack.stdout, ministack.stderr]) {
      output?.pipe(log, { end: false });
      output?.on('data', (text) => {
        said = `${said}${text}`.slice(-2_000);
        if (said.includes('Running on https://')) resolve();
      });
    }
  });
  const failed = once(ministack, 'exit').then(() => {
    throw new Error(`The emulator did not start (it needs openssl on the PATH):\n${said}`);
  });
  failed.catch(() => {}); // Once it is ready, its end is no failure.
  const late = sleep(STARTS_WITHIN_MS, undefined, { ref: false }).then(() => {
    throw new Error(`The emulator was not ready within ${STARTS_WITHIN_MS} ms:\n${said}`);
  });
  await Promise.race([saysSo, failed, late]);
}

async function stop(ministack: ChildProcess): Promise<void> {
  const ended = ministack.exitCode === null && ministack.signalCode === null ? once(ministack, 'exit') : undefined;
  signalGroup(ministack, 'SIGTERM');
  await Promise.race([ended, sleep(ENDS_WITHIN_MS, undefined, { ref: false })]);
  signalGroup(ministack, 'SIGKILL');
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('No free port on 127.0.0.1');
  return address.port;
}
