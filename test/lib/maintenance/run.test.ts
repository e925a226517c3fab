import { afterEach, expect, test, vi } from 'vitest';
import { environment } from '../../../lib/environment.ts';
import { unavailable } from '../../../lib/errors.ts';
import { type Job, runJobs } from '../../../lib/maintenance/run.ts';

let time = 0;
let order: string[] = [];

/** Creates a job with parts that take a second each. */
const createJob = (name: string, parts: number, turnMs = 3_000): Job => ({
  name,
  turnMs,
  async *run() {
    try {
      for (let done = 1; done <= parts; done++) {
        time += 1_000;
        order.push(`${name}${done}`);
        yield { done };
      }
    } finally {
      order.push(`${name} ends`);
    }
  },
});

const createFailure = (name: string, error: Error): Job => ({
  name,
  turnMs: 1_000,
  async *run() {
    yield { done: 1 };
    throw error;
  },
});

const run = (jobs: Job[], seconds = 100) => {
  [time, order] = [0, []];
  vi.spyOn(environment, 'now').mockImplementation(() => time);
  return runJobs(jobs, () => time < seconds * 1_000);
};

afterEach(() => vi.restoreAllMocks());

test('a job with much to do lets the others have their turn, and then goes on', async () => {
  expect(await run([createJob('a', 5), createJob('b', 1), createJob('c', 2)])).toEqual({
    a: { done: 5 },
    b: { done: 1 },
    c: { done: 2 },
  });
  expect(order).toEqual(['a1', 'a2', 'a3', 'b1', 'b ends', 'c1', 'c2', 'c ends', 'a4', 'a5', 'a ends']);
});

test('jobs with too much to do share the time, and end with it', async () => {
  const found = await run([createJob('a', 1_000), createJob('b', 1_000, 2_000)], 10);
  expect(found).toEqual({ a: { done: 6 }, b: { done: 4 } });
  expect(order.slice(-2)).toEqual(['a ends', 'b ends']);
});

test('without time the first job does one part, and the others none', async () => {
  expect(await run([createJob('a', 5), createJob('b', 5)], 0)).toEqual({ a: { done: 1 }, b: {} });
});

test('a job that fails is logged by its name, the others run, and the run fails in the end', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  const failing = createFailure('b', new Error('broken'));
  await expect(run([createJob('a', 2), failing, createJob('c', 2)])).rejects.toThrow('These jobs failed: b');
  expect(order).toContain('c2');
  const error = expect.objectContaining({ message: 'broken' });
  expect(logged.mock.calls).toEqual([[{ event: 'internal-error', job: 'b', error }]]);
});

test('a job that meets a busy database goes on in the next run, and the run does not fail', async () => {
  const logged = vi.spyOn(console, 'warn').mockReturnValue();
  expect(await run([createFailure('a', unavailable()), createJob('b', 2)])).toEqual({
    a: { done: 1 },
    b: { done: 2 },
  });
  expect(logged.mock.calls).toEqual([[{ event: 'unavailable', job: 'a' }]]);
});
