import cluster, { type Worker } from 'node:cluster';
import { join } from 'node:path';
import type { WorkerMessage } from './worker.ts';

export type WorkerPair = {
  /** Lets the waiting process serve instead of the current one. Returns false if it cannot: the current one goes on. */
  promote(message: WorkerMessage): Promise<boolean>;
  stop(): void;
};

/** A process that serves, and one that waits with all packages loaded. They share the port. */
export function createWorkerPair(): WorkerPair {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts'), args: [] });
  let current: Worker | undefined;
  let standby = cluster.fork();
  cluster.on('exit', (worker, code, signal) => {
    if (worker !== current) return;
    current = undefined;
    // Not started again at once: what ends it at each start would do so without pause.
    console.error(`The service has ended (${signal ?? `exit code ${code}`}), and starts again with the next save`);
  });

  async function promote(message: WorkerMessage): Promise<boolean> {
    const next = hasEnded(standby) ? cluster.fork() : standby;
    const isReady = await startServing(next, message);
    standby = cluster.fork();
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

/** A process that is just ending receives nothing, which its exit tells. */
const send = (worker: Worker, message: WorkerMessage | 'stop') => worker.send(message, () => {});

const startServing = (worker: Worker, message: WorkerMessage): Promise<boolean> =>
  new Promise((resolve) => {
    worker.once('message', () => resolve(true)).once('exit', () => resolve(false));
    send(worker, message);
  });
