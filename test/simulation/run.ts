import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Executed } from './database/database.ts';
import type { Options } from './options.ts';
import type { Failure, Report, Task } from './worker.ts';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));
const SEEDS_PER_TASK = 20;

export type Outcome = { done: number; failure: Failure | undefined; hashes: string[]; executed: Executed[][] };

/** Runs the histories in child processes, as time and chance are virtual there. Ends with the first that fails. */
export async function run(options: Options, progress: (done: number) => void): Promise<Outcome> {
  const { seed, histories, mutant, ...task } = options;
  const outcome: Outcome = { done: 0, failure: undefined, hashes: [], executed: [] };
  let next = 0;
  const nextTask = (): Task | undefined => {
    if (next >= histories || outcome.failure) return undefined;
    const from = next;
    next = Math.min(histories, from + SEEDS_PER_TASK);
    return { seeds: Array.from({ length: next - from }, (_, at) => seed + from + at), ...task };
  };
  const count = Math.min(task.workers ?? availableParallelism(), Math.ceil(histories / SEEDS_PER_TASK));
  const workers = Array.from({ length: count }, () => fork(WORKER, mutant ? [mutant] : []));
  try {
    await Promise.all(
      workers.map((worker) =>
        serve(worker, nextTask, (report, stop) => {
          outcome.done += report.done;
          if (report.hash) outcome.hashes.push(report.hash);
          if (report.executed) outcome.executed.push(report.executed);
          outcome.failure ??= report.failure;
          progress(outcome.done);
          if (outcome.failure) stop();
        }),
      ),
    );
  } finally {
    for (const worker of workers) worker.kill();
  }
  return outcome;
}

type Take = (report: Report, stop: () => void) => void;

/** Gives a worker tasks until there are none, or it is stopped. */
function serve(worker: ChildProcess, nextTask: () => Task | undefined, take: Take): Promise<void> {
  let left = 0;
  return new Promise((resolve, reject) => {
    worker.on('message', (report: Report) => {
      take(report, resolve);
      left -= report.done;
      if (left > 0) return;
      const task = nextTask();
      if (!task) return resolve();
      left = task.seeds.length;
      worker.send(task);
    });
    worker.once('error', reject);
    worker.once('exit', (code, signal) => reject(new Error(`A worker ended with ${code ?? signal}`)));
  });
}
