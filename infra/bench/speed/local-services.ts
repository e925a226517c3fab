import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalService } from '../../../test/setup/local-service.ts';
import { findFreePort } from '../../local/database/engine.ts';
import { type Summary, summarize } from './statistics.ts';

/** Times in milliseconds. */
export type LocalService = { name: string; request: string; times: Summary; perSecond: number };

const PER_ROUND = 20;
const USERS = 100;

type Server = { name: string; url: string; stop(): Promise<void> };

export async function measureLocalServices(
  peers: string,
  { rounds, progress }: { rounds: number; progress: (done: number) => void },
): Promise<LocalService[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const servers = [await startService(join(folder, 'data')), await startJsonServer(peers, folder)];
  try {
    const runs = [];
    for (const { name, url } of servers) {
      const ids: string[] = [];
      for (let count = 0; count < USERS; count++) ids.push(await create(url));
      const requests: Record<string, () => Promise<unknown>> = {
        'GET one user': async () => read(`${url}/${ids[Math.floor(Math.random() * ids.length)]}`),
        'GET the first 20 users': () =>
          read(url + (name === 'json-server' ? '?_page=1&_limit=20' : '?page=1&limit=20')),
        'POST a user': () => create(url),
      };
      for (const [request, run] of Object.entries(requests)) runs.push({ name, request, run, times: [] as number[] });
    }
    for (let round = 0; round <= rounds; round++) {
      for (const { run, times } of runs)
        for (let count = 0; count < PER_ROUND; count++) {
          const start = performance.now();
          await run();
          if (round > 0) times.push(performance.now() - start);
        }
      progress(round);
    }
    return runs.map(({ name, request, times }) => {
      const perSecond = (1000 * times.length) / times.reduce((sum, time) => sum + time, 0);
      return { name, request, times: summarize(times), perSecond };
    });
  } finally {
    for (const { stop } of servers) await stop();
    rmSync(folder, { recursive: true });
  }
}

async function startService(folder: string): Promise<Server> {
  const { url, stop } = await startLocalService(['--data', folder]);
  return { name: 'npm start', url: `${url}/v1/users`, stop };
}

async function startJsonServer(peers: string, folder: string): Promise<Server> {
  const [file, port] = [join(folder, 'db.json'), await findFreePort()];
  writeFileSync(file, JSON.stringify({ users: [] }));
  const command = join(peers, 'node_modules/json-server/lib/cli/bin.js');
  const child = spawn(process.execPath, [command, '--quiet', '--port', String(port), file], { stdio: 'ignore' });
  const url = `http://localhost:${port}/users`;
  while (!(await fetch(url).catch(() => undefined)))
    if (child.exitCode !== null) throw new Error('json-server did not start');
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { name: 'json-server', url, stop };
}

async function read(url: string): Promise<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
  return response.json();
}

async function create(url: string): Promise<string> {
  const body = JSON.stringify({ name: 'Ada Lovelace', email: `${crypto.randomUUID()}@example.org` });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (response.status !== 201) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return String(((await response.json()) as { id: unknown }).id); // Both servers return the created record.
}
