import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Executed } from './database/database.ts';
import type { Failure, Report, RunOptions, Task } from './worker.ts';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));
const SEEDS_PER_TASK = 20;

const DEFAULTS: RunOptions = {
  seed: 1,
  histories: 1000,
  workers: undefined,
  mutant: undefined,
  excluded: [],
  trace: false,
  shrinks: false,
  records: false,
  goesOn: false,
};

export type Outcome = { done: number; failures: Failure[]; hashes: string[]; executed: Executed[][] };

/** Runs histories in other processes, because virtual time and randomness affect a whole process. */
export async function run(options: Partial<RunOptions>, showProgress = (_: number) => {}): Promise<Outcome> {
  const { seed, histories, mutant, goesOn, workers: count, ...task } = { ...DEFAULTS, ...options };
  let isOver = false;
  const outcome: Outcome = { done: 0, failures: [], hashes: [], executed: [] };
  let next = 0;
  const nextTask = (): Task | undefined => {
    if (next >= histories || isOver) return undefined;
    const from = next;
    next = Math.min(histories, from + SEEDS_PER_TASK);
    return { seeds: Array.from({ length: next - from }, (_, at) => seed + from + at), ...task };
  };
  const length = Math.min(count ?? availableParallelism(), Math.ceil(histories / SEEDS_PER_TASK));
  const workers = Array.from({ length }, () => fork(WORKER, mutant ? [mutant] : []));
  const take = (report: Report, stop: () => void) => {
    outcome.done += report.done;
    if (report.hash) outcome.hashes.push(report.hash);
    if (report.executed) outcome.executed.push(report.executed);
    if (report.failure) outcome.failures.push(report.failure);
    isOver = outcome.failures.length > 0 && !goesOn;
    showProgress(outcome.done);
    if (isOver) stop();
  };
  try {
    await Promise.all(workers.map((worker) => serve(worker, nextTask, take)));
  } finally {
    for (const worker of workers) worker.kill();
  }
  return outcome;
}

function serve(
  worker: ChildProcess,
  nextTask: () => Task | undefined,
  take: (report: Report, stop: () => void) => void,
): Promise<void> {
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
