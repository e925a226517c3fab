import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundle } from '../../infra/construct/bundling/bundle.ts';
import { GRAPHQL_SERVER } from '../../infra/construct/grants.ts';
import { GENEROUS_TIME_LIMITS } from './time-limits.ts';

/** Finds a free port. Another process could take the port first, which is unlikely. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}

/** Starts graphql-server with its endpoint in an environment variable, like Lambda. */
export async function startGraphqlServer(variables: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'graphql-server-'));
  await bundle([GRAPHQL_SERVER], folder);
  const endpoint = `127.0.0.1:${await findFreePort()}`;
  const child = spawn(process.execPath, [join(folder, GRAPHQL_SERVER, `${GRAPHQL_SERVER}.mjs`)], {
    env: {
      AWS_LAMBDA_HTTP_ENDPOINT: endpoint,
      AWS_LAMBDA_INITIALIZATION_TYPE: 'native-http',
      ...GENEROUS_TIME_LIMITS,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logged: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => logged.push(String(text)));
  const ended = once(child, 'close').then(([code]): { code: number | null } => ({ code }));
  const url = `http://${endpoint}/graphql`;
  await waitUntilReady(url, ended, logged);
  const stop = async () => {
    child.kill('SIGTERM');
    const result = await ended;
    await rm(folder, { recursive: true });
    return result;
  };
  return { url, pid: child.pid ?? 0, logged, stop };
}

async function waitUntilReady(url: string, ended: Promise<unknown>, logged: string[]): Promise<void> {
  let hasEnded = false;
  ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const response = await fetch(url, { method: 'OPTIONS' }).catch(() => undefined);
    if (response) return void (await response.text());
    await sleep(50);
  }
  throw new Error(`The server has ended before it listened: ${logged.join('')}`);
}
