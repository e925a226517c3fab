import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ProgressReport } from '../../../../infra/scripts/transfer/progress.ts';
import { Results } from '../../../../infra/scripts/transfer/results.ts';
import { formatDuration } from '../../../../infra/transfer/duration.ts';
import { FirstLines } from '../../../../infra/transfer/first-lines.ts';
import { mapInOrder, Pace } from '../../../../infra/transfer/pace.ts';
import { ServiceError } from '../../../../lib/client/client.ts';
import { collect } from './import-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));

const busy = new Error('busy');
const createPace = (pauses: number[] = []) =>
  new Pace({ maxLimit: 8, isBusy: (error) => error === busy, pause: async (ms) => void pauses.push(ms) });

describe('the pace', () => {
  test('rises up to its maximum while all goes well', async () => {
    const pace = createPace();
    expect(pace.limit).toBe(2);
    for (let done = 0; done < 100; done++) await pace.run(async () => {});
    expect(pace.limit).toBe(8);
  });

  test('halves once for all that was under way when the other side became busy, and makes further attempts', async () => {
    const pauses: number[] = [];
    const pace = createPace(pauses);
    for (let done = 0; done < 100; done++) await pace.run(async () => {});
    let attempts = 0;
    const work = async () => {
      if (++attempts <= 8) throw busy;
    };
    await Promise.all(Array.from({ length: 8 }, () => pace.run(work)));
    expect(attempts).toBe(16);
    // Half of it is 4, to which eight successes add one.
    expect(pace.limit).toBe(5);
    expect(pauses.length).toBe(8);
  });

  test('gives up after many attempts, and at once for other errors', async () => {
    const pauses: number[] = [];
    await expect(createPace(pauses).run(() => Promise.reject(busy))).rejects.toBe(busy);
    expect(pauses.length).toBe(23);
    await expect(createPace().run(() => Promise.reject(new Error('other')))).rejects.toThrow('other');
  });

  test('waits as long as the service asks for', async () => {
    const pauses: number[] = [];
    const error = new ServiceError(429, 'Too many', { code: 'TOO_MANY_REQUESTS', retryAfterMs: 120_000 });
    const pace = new Pace({ maxLimit: 8, isBusy: () => true, pause: async (ms) => void pauses.push(ms) });
    await expect(pace.run(() => Promise.reject(error))).rejects.toBe(error);
    expect(Math.min(...pauses)).toBe(120_000);
  });

  test('results come in the order of the items, with no more under way than the limit', async () => {
    let [underWay, most] = [0, 0];
    const gates = Array.from({ length: 20 }, () => Promise.withResolvers<void>());
    async function* items() {
      yield* gates.keys();
    }
    const results = mapInOrder(items(), { limit: 4 }, async (item) => {
      most = Math.max(most, ++underWay);
      // Later ones end first.
      if (item % 4 === 3) for (const gate of gates.slice(item - 3, item + 1).toReversed()) gate.resolve();
      await gates[item]?.promise;
      underWay--;
      return item;
    });
    expect(await collect(results)).toEqual([...gates.keys()]);
    expect(most).toBe(4);
  });
});

describe('the results', () => {
  const created = (line: number) => ({ line, result: 'created' as const, id: `id ${line}` });

  test('a run continues after the last whole line of one with the same input', async () => {
    const file = join(folder, 'killed.ndjson');
    const killed = await Results.open(file, 'input');
    killed.append([created(2), created(3)]);
    appendFileSync(file, '{"line":4,"resu');
    const continued = await Results.open(file, 'input');
    expect(continued).toMatchObject({ doneUpTo: 3, counts: { created: 2 }, startedAt: killed.startedAt });
    continued.append([created(4)]);
    continued.close({ isComplete: true });
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).line)).toEqual([2, 3, 4]);
  });

  test.each(['another input', undefined])(
    'a run with %s begins again, and so does one after the end',
    async (input) => {
      const file = join(folder, 'other.ndjson');
      const killed = await Results.open(file, 'input');
      killed.append([created(2)]);
      expect(await Results.open(file, input)).toMatchObject({ doneUpTo: 0, counts: { created: 0 } });
      expect(readFileSync(file, 'utf8')).toBe('');
      const ended = await Results.open(file, 'input');
      ended.append([created(2)]);
      ended.close({ isComplete: true });
      expect(await Results.open(file, 'input')).toMatchObject({ doneUpTo: 0 });
    },
  );
});

test('the first line of each value is found among many', () => {
  const lines = new FirstLines();
  const values = Array.from({ length: 10_000 }, (_, at) => `value ${at}`);
  expect(values.filter((value) => lines.find(value) !== undefined)).toEqual([]);
  for (const [at, value] of values.entries()) lines.add(value, at + 1);
  lines.add('value 7', 20_000);
  expect(values.map((value) => lines.find(value))).toEqual(values.map((_, at) => at + 1));
  expect(lines.find('another value')).toBe(undefined);
});

describe('the progress', () => {
  const report = (isTTY: boolean) => {
    const written: string[] = [];
    const clock = { ms: 0 };
    const progress = new ProgressReport({ isTTY, write: (text) => written.push(text) }, () => clock.ms);
    for (let second = 1; second <= 25; second++) {
      clock.ms = second * 1000;
      progress.update({ rows: second * 100, part: second / 100 });
    }
    progress.end();
    return written;
  };

  test('is a line every ten seconds where there is no terminal', () => {
    expect(report(false)).toEqual([
      '10 %, 1,000 rows, 90 a second, 2 min left\n',
      '20 %, 2,000 rows, 95 a second, 85 s left\n',
    ]);
  });

  test('is a bar on a terminal', () => {
    const written = report(true);
    expect(written.length).toBe(26);
    expect(written.at(-2)).toMatch(/^\r█{8}░{22} 25 %, 2,500 rows, 96 a second, \d+ s left/);
  });

  test('durations are readable', () => {
    expect([12.1, 600, 7200].map(formatDuration)).toEqual(['13 s', '10 min', '2.0 h']);
  });
});
