import cluster, { type Worker } from 'node:cluster';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startIssuer } from '../auth/issuer.ts';
import { startDatabase } from '../database/start.ts';
import { endWithNpm } from '../end-with-npm.ts';
import { findExternalDatabase } from '../environment.ts';
import type { Options } from '../options.ts';
import { watchFolders } from './watch-folders.ts';
import type { WorkerMessage } from './worker.ts';

const SOURCES = ['functions', 'lib', 'infra'];
/** Editors write a file in several steps. */
const SETTLE_MS = 20;

/**
 * Runs the service in a process that is replaced on save. The next process waits with all packages loaded, and shares
 * the port: the old one serves until the new one is ready. The database stays.
 */
export async function runWithReload(options: Options): Promise<void> {
  const database = findExternalDatabase()
    ? undefined
    : await startDatabase(options.memory ? undefined : options.data, options.engine);
  const issuer = options.auth ? await startIssuer(options.port === 0 ? 0 : options.port + 1) : undefined;
  const workerOptions = issuer ? { ...options, auth: false, tokens: issuer.tokens } : options;
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts'), args: [] });
  let current: Worker | undefined;
  let standby = cluster.fork();

  async function reload(changed?: string): Promise<void> {
    const [start, next] = [performance.now(), standby];
    const message: WorkerMessage = {
      options: workerOptions,
      endpoint: database?.endpoint,
      issuer: issuer?.tokens.issuer,
      isFirst: changed === undefined,
    };
    next.send(message);
    const isReady = await Promise.race([
      new Promise((resolve) => next.once('message', () => resolve(true))),
      new Promise((resolve) => next.once('exit', () => resolve(false))),
    ]);
    standby = cluster.fork();
    if (isReady) {
      current?.send('stop');
      current = next;
    }
    if (changed !== undefined)
      console.log(
        isReady ? `Reloaded in ${Math.round(performance.now() - start)} ms: ${changed}` : `Not reloaded: ${changed}`,
      );
    else if (!isReady) await end(1);
  }

  const end = async (code = 0) => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
    await database?.stop();
    process.exit(code);
  };
  process.once('SIGINT', () => end()).once('SIGTERM', () => end());
  endWithNpm(() => end());
  await reload();
  watchSources(reload);
}

/** One reload after another; what changes meanwhile is one more. */
function watchSources(reload: (changed: string) => Promise<void>): void {
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
    if (/\.(ts|tsx|css|graphql|json)$/.test(path)) void onChange(path);
  });
}
