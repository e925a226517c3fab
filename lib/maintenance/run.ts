import { environment } from '../environment.ts';
import { isUnavailable } from '../errors.ts';
import { logFailure } from '../log.ts';

export type HasTimeLeft = () => boolean;

/**
 * `run` yields its progress after each part of its work. Once `turnMs` have passed, the job pauses at a yield while
 * other jobs take turns. The next invocation starts the job from the beginning.
 */
export type Job = { name: string; turnMs: number; run(hasTimeLeft: HasTimeLeft): AsyncGenerator<object> };

type Started = Pick<Job, 'name' | 'turnMs'> & { parts: AsyncGenerator<object>; progress?: object; error?: unknown };

/**
 * A failed job is logged and does not stop the others. Returns the progress by name. Throws at the end if a job failed,
 * unless the database was only busy.
 */
export async function runJobs(jobs: Job[], hasTimeLeft: HasTimeLeft): Promise<Record<string, object>> {
  let turnEnd = 0;
  const hasTurnLeft = () => hasTimeLeft() && environment.now() < turnEnd;
  const started = jobs.map(({ name, turnMs, run }): Started => ({ name, turnMs, parts: run(hasTurnLeft) }));
  let waiting = started;
  while (waiting.length > 0) {
    const unfinished: Started[] = [];
    for (const job of waiting) {
      // Even without time, the first job completes at least one part.
      const isDue = hasTimeLeft() || (job === started[0] && !job.progress);
      turnEnd = environment.now() + job.turnMs;
      if (!isDue) await end(job);
      else if (await takeTurn(job, hasTurnLeft)) unfinished.push(job);
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
  return Object.fromEntries(started.map(({ name, progress = {} }) => [name, progress]));
}

async function takeTurn(job: Started, hasTurnLeft: HasTimeLeft): Promise<boolean> {
  try {
    do {
      const { value, done } = await job.parts.next();
      if (done) return false;
      job.progress = value;
    } while (hasTurnLeft());
    return true;
  } catch (error) {
    fail(job, error);
    return false;
  }
}

async function end(job: Started): Promise<void> {
  await job.parts.return(undefined).catch((error: unknown) => fail(job, error));
}

function fail(job: Started, error: unknown): void {
  job.error = error;
  logFailure(error, { job: job.name });
}
