import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../environment.ts';
import { isUnavailable } from '../errors.ts';
import { logFailure } from '../log.ts';

/** `hasTimeLeft` tells whether the turn goes on. */
export type Turn = {
  now: () => number;
  pause: (milliseconds: number) => Promise<unknown>;
  hasTimeLeft: () => boolean;
};

/**
 * A job yields, after each part of its work, what it has done so far in this run. There it waits for the turns of others
 * once `turnMs` are over, and ends with the time of the run; the next run starts it again.
 */
export type Job = { name: string; turnMs: number; run(turn: Turn): AsyncGenerator<object> };

type Started = { name: string; parts: AsyncGenerator<object>; startTurn: () => Turn; done?: object; error?: unknown };

/**
 * Gives each job its turn, and those that have more to do another one, until the time is over. A job that fails is logged,
 * and the others go on. Returns what each has done, by its name; throws once all have ended if one failed for another
 * reason than a busy database.
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
      // The first one does a part of its work in any case.
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

/** Returns whether the job has more to do. */
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
