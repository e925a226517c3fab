import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/index-pages.ts';
import { createContext } from '../../../infra/local/runtime.ts';
import { startSchedule } from '../../../infra/local/schedule.ts';
import { readBlocks, sumCounts } from '../../../lib/users/page-index/blocks.ts';
import { pages } from '../../../lib/users/page-index/reader.ts';
import { clearTable, createUserAt } from './fixtures.ts';

const HOUR = 3_600_000;
const outOfTime: Context = { ...createContext(), getRemainingTimeInMillis: () => 0 };

beforeEach(async () => {
  await clearTable();
  for (let user = 0; user < 3; user++) await createUserAt(Date.now() - HOUR + user);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('a scheduled event indexes what is due', async () => {
  expect(await handler({}, createContext())).toEqual({ indexed: 3, ageSeconds: 0, mends: [] });
  expect(sumCounts(await readBlocks(2, { from: '0' }))).toBe(3);
});

test('with no time left it still makes a step', async () => {
  expect(await handler({}, outOfTime)).toMatchObject({ indexed: 3 });
});

test('on Lambda it writes the age of the index as a metric', async () => {
  const lines = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.stubEnv('METRICS_NAMESPACE', 'UserManagement/Test');
  await handler({}, createContext());
  expect(lines.mock.calls.map(([line]) => JSON.parse(String(line)))).toEqual([
    {
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: 'UserManagement/Test',
            Dimensions: [[]],
            Metrics: [{ Name: 'IndexAgeSeconds', Unit: 'Seconds' }],
          },
        ],
      },
      IndexAgeSeconds: 0,
    },
  ]);
});

test('a repair event recounts all, and tells where to go on when its time is up', async () => {
  await handler({}, createContext());
  expect(await handler({ repair: true }, createContext())).toEqual({ users: 3, mended: 0 });
  expect(await handler({ repair: true }, outOfTime)).toEqual({ users: 3, mended: 0, next: '0' });
});

test('the local schedule runs it at once, and outlives its failures', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  await startSchedule('index-pages', handler).stop();
  expect(await pages().count()).toBe(3);
  expect(logged).not.toHaveBeenCalled();
  await startSchedule('index-pages', () => Promise.reject(new Error('no table'))).stop();
  expect(logged).toHaveBeenCalledWith({
    event: 'index-pages failed',
    error: { name: 'Error', message: 'no table' },
  });
});
