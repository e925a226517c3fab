import { createStore } from './store.ts';

/** Work on many users, which goes on while the person uses the page. */
export type Job = {
  id: number;
  kind: 'Bulk job' | 'Export' | 'Import';
  label: string;
  /** Unit of `done` and `total`. */
  noun: 'user' | 'row';
  status: 'running' | 'paused' | 'failed' | 'stopping' | 'stopped' | 'done';
  done: number;
  total?: number | undefined;
  /** Completed share, from 0 to 1. Undefined: `done` of `total`. */
  part?: number | undefined;
  /** Such as the speed. */
  note?: string | undefined;
  /** Why the job waits, until it goes on by itself. */
  waitsFor?: string | undefined;
  error?: string | undefined;
  pause: () => void;
  resume: () => void;
  cancel: () => void;
};

/** Jobs that have not ended. */
export const jobs = createStore<readonly Job[]>([]);

let stopping = new AbortController();

/** The signal of the next `stopJobs`. */
export const getStopSignal = (): AbortSignal => stopping.signal;

/** Also stops jobs that wait for others. Later jobs may run. */
export function stopJobs(): void {
  stopping.abort();
  stopping = new AbortController();
  for (const { cancel } of jobs.get()) cancel();
}

export type Control = {
  signal: AbortSignal;
  report: (changes: Partial<Job>) => void;
  /** Waits for the end of a pause, and returns whether there was one. Throws if the person has cancelled the job. */
  proceed: () => Promise<boolean>;
};

let lastId = 0;

/**
 * After a failure, the person can resume the job: `attempt` then continues where it stopped. Returns the ended job:
 * `done`, or `stopped` by the person.
 */
export async function runJob(
  options: Pick<Job, 'kind' | 'label' | 'noun' | 'total'>,
  attempt: (control: Control) => Promise<void>,
): Promise<Job> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let paused: PromiseWithResolvers<void> | undefined;
  const pause = (changes: Partial<Job>) => {
    if (signal.aborted) return;
    paused ??= Promise.withResolvers();
    report(changes);
  };
  const resume = () => {
    paused?.resolve();
    paused = undefined;
    report({ status: signal.aborted ? 'stopping' : 'running', error: undefined });
  };
  const cancel = () => {
    stopping.abort();
    resume();
  };
  const proceed = async () => {
    const wasPaused = paused !== undefined;
    await paused?.promise;
    signal.throwIfAborted();
    return wasPaused;
  };
  lastId += 1;
  let job: Job = {
    ...options,
    id: lastId,
    status: 'running',
    done: 0,
    pause: () => pause({ status: 'paused' }),
    resume,
    cancel,
  };
  const report = (changes: Partial<Job>) => {
    job = { ...job, ...changes };
    jobs.set((all) => all.map((each) => (each.id === job.id ? job : each)));
  };
  jobs.set((all) => [...all, job]);
  while (job.status !== 'done' && !signal.aborted)
    try {
      await attempt({ signal, report, proceed });
      report({ status: 'done', part: 1 });
    } catch (error) {
      pause({ status: 'failed', error: (error as Error).message, waitsFor: undefined });
      await paused?.promise;
    }
  jobs.set((all) => all.filter(({ id }) => id !== job.id));
  return job.status === 'done' ? job : { ...job, status: 'stopped', waitsFor: undefined };
}
