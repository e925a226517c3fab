import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../environment.ts';
import { isUnavailable } from '../errors.ts';
import { logFailure } from '../log.ts';

/** `hasTimeLeft` is false when the job's turn ends. */
export type Turn = {
  now: () => number;
  pause: (milliseconds: number) => Promise<unknown>;
  hasTimeLeft: () => boolean;
};

/**
 * `run` yields the job's progress in this run after each part of its work. Once `turnMs` have passed, the job pauses at
 * such a yield while other jobs take turns. At the end of a run, the job is stopped. The next run starts the job from
 * the beginning.
 */
export type Job = { name: string; turnMs: number; run(turn: Turn): AsyncGenerator<object> };

type Started = { name: string; parts: AsyncGenerator<object>; startTurn: () => Turn; done?: object; error?: unknown };

/**
 * Runs the jobs in turns until all are finished or the time is over. A job that fails is logged and does not stop the
 * others. Returns the progress of each job by name. Throws at the end if a job failed, unless the database was only
 * busy.
 */
export async function runJobs(
  jobs: Job[],
  hasTimeLeft: () => boolean,
  { now = environment.now, pause = sleep }: Partial<Omit<Turn, 'hasTimeLeft'>> = {},
): Promise<Record<string, object>> {
  const started = jobs.map((job) => startJob(job, { now, pause, hasTimeLeft }));
  let waiting = started;
  while (waiting.length > 0) {
    const unfinished: Started[] = [];
    for (const job of waiting) {
      // Even if no time is left, the first job completes one part of its work.
      const isDue = hasTimeLeft() || (job === started[0] && !job.done);
      if (isDue ? await takeTurn(job) : await end(job)) unfinished.push(job);
    }
    waiting = unfinished;
  }
  const failed = started.filter(({ error }) => error !== undefined && !isUnavailable(error));
  if (failed.length > 0) {
    const names = failed.map(({ name }) => name).join(', ');
    throw new AggregateError(
      failed.map(({ error }) => error),
      `These jobs failed: ${names}`,
    );
  }
  return Object.fromEntries(started.map(({ name, done = {} }) => [name, done]));
}

function startJob({ name, turnMs, run }: Job, { now, pause, hasTimeLeft }: Turn): Started {
  let turnEnd = 0;
  const turn = { now, pause, hasTimeLeft: () => hasTimeLeft() && now() < turnEnd };
  const startTurn = () => {
    turnEnd = now() + turnMs;
    return turn;
  };
  return { name, parts: run(turn), startTurn };
}

async function takeTurn(job: Started): Promise<boolean> {
  const turn = job.startTurn();
  try {
    do {
      const { value, done } = await job.parts.next();
      if (done) return false;
      job.done = value;
    } while (turn.hasTimeLeft());
    return true;
  } catch (error) {
    fail(job, error);
    return false;
  }
}

async function end(job: Started): Promise<false> {
  await job.parts.return(undefined).catch((error: unknown) => fail(job, error));
  return false;
}

function fail(job: Started, error: unknown): void {
  job.error = error;
  logFailure(error, { job: job.name });
}
