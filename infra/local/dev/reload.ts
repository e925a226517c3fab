import cluster, { type Worker } from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startIssuer } from '../auth.ts';
import { findExternalDatabase, startDatabase } from '../database/start.ts';
import { endWithNpm, type Npm } from '../npm.ts';
import type { Options } from '../options.ts';
import { servePageSources } from './page-sources.ts';
import { watchFile, watchFolders } from './watch-folders.ts';
import type { WorkerMessage } from './worker.ts';

const SOURCES = ['functions', 'lib', 'infra'];
/** Vite updates the pages without a reload of the service, which uses only `pages.ts` and the console's settings. */
const PAGE_SOURCES = /^infra.web.(?!pages\.ts|console.settings\.ts)/;
/** Waits this long after a change, because editors write a file in several steps. */
const SETTLE_MS = 20;

/**
 * A standby process has loaded all packages, shares the port, and replaces the service when a source file is saved. The
 * database keeps running.
 */
export async function runWithReload(options: Options, npm: Npm | undefined): Promise<void> {
  const database = findExternalDatabase()
    ? undefined
    : await startDatabase(options.memory ? undefined : options.data, options.engine);
  const issuer = options.auth ? await startIssuer(options.port === 0 ? 0 : options.port + 1) : undefined;
  const settings = {
    options: issuer ? { ...options, auth: false, tokens: issuer.tokens } : options,
    database: database && { endpoint: database.endpoint, accessKeyId: database.accessKeyId, file: database.file },
    issuer: issuer?.tokens.issuer,
    checkpointFolder: createCheckpointFolder(),
    pageSources: await servePageSources(),
  };
  const workers = createWorkerPair();
  const end = async (code = 0) => {
    workers.stop();
    await database?.stop();
    process.exit(code);
  };
  process.once('SIGINT', () => end()).once('SIGTERM', () => end());
  endWithNpm(npm, () => end());
  const firstStart = workers.promote({ ...settings, isFirst: true });
  watchSources(options.fields, async (changed) => {
    await firstStart;
    const start = performance.now();
    const isReady = await workers.promote({ ...settings, isFirst: false });
    const outcome = isReady ? `Reloaded in ${Math.round(performance.now() - start)} ms` : 'Not reloaded';
    console.log(`${outcome}: ${changed}`);
  });
  if (!(await firstStart)) return end(1);
}

/** Stores checkpoints even without a data folder, so that the next process continues in the stream. */
function createCheckpointFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'user-management-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function watchSources(fieldsFile: string | undefined, reload: (changed: string) => Promise<void>): void {
  let changed: string | undefined;
  let isReloading = false;
  const onChange = async (name: string) => {
    changed = name;
    if (isReloading) return;
    isReloading = true;
    while (changed !== undefined) {
      await sleep(SETTLE_MS);
      const file: string = changed;
      changed = undefined;
      await reload(file);
    }
    isReloading = false;
  };
  watchFolders(SOURCES, (path) => {
    if (/\.(ts|graphql|json)$/.test(path) && !PAGE_SOURCES.test(path)) void onChange(path);
  });
  if (fieldsFile) watchFile(fieldsFile, () => void onChange(fieldsFile));
}

export type WorkerPair = {
  promote(message: WorkerMessage): Promise<boolean>;
  stop(): void;
};

function createWorkerPair(): WorkerPair {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts'), args: [] });
  let current: Worker | undefined;
  let standby = cluster.fork();
  cluster.on('exit', (worker, code, signal) => {
    if (worker !== current) return;
    current = undefined;
    // Does not restart the service at once, because that could become a crash loop.
    console.error(`The service has crashed (${signal ?? `exit code ${code}`}). It restarts on the next save`);
  });

  async function promote(message: WorkerMessage): Promise<boolean> {
    let next = hasEnded(standby) ? cluster.fork() : standby;
    let outcome = await startServing(next, message);
    if (outcome === 'killed') {
      // The standby had been killed before, but `hasEnded` had not detected it yet.
      next = cluster.fork();
      outcome = await startServing(next, message);
    }
    standby = cluster.fork();
    const isReady = outcome === 'ready';
    if (isReady) {
      if (current) send(current, 'stop');
      current = next;
    }
    return isReady;
  }

  function stop(): void {
    current = undefined;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  }

  return { promote, stop };
}

const hasEnded = (worker: Worker) => worker.isDead() || !worker.isConnected();

/** Ignores errors, because listeners of `exit` handle a process that has ended. */
const send = (worker: Worker, message: WorkerMessage | 'stop') => worker.send(message, () => {});

/** `failed`: the process cannot load the saved code. `killed`: by a signal. */
const startServing = (worker: Worker, message: WorkerMessage): Promise<'ready' | 'failed' | 'killed'> =>
  new Promise((resolve) => {
    worker
      .once('message', () => resolve('ready'))
      .once('exit', (_code, signal) => resolve(signal ? 'killed' : 'failed'));
    send(worker, message);
  });
