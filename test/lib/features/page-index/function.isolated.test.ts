import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../../functions/index-pages.ts';
import { createContext } from '../../../../infra/local/runtime.ts';
import { startSchedule } from '../../../../infra/local/schedule.ts';
import { table } from '../../../../lib/dynamodb/client.ts';
import { unavailable } from '../../../../lib/errors.ts';
import { readTopLevel } from '../../../../lib/features/page-index/checkpoint.ts';
import { openPageIndex } from '../../../../lib/features/page-index/reader.ts';
import { clearTable, createUsersAt } from './fixtures.ts';

// Removes the wait until writes are visible, because reads never lag here.
vi.mock('../../../../lib/features/page-index/timing.ts', async (load) => ({
  ...(await load<object>()),
  VISIBILITY_MS: 0,
}));

const HOUR = 3_600_000;
const outOfTime: Context = { ...createContext(), getRemainingTimeInMillis: () => 0 };
const sumTop = async () =>
  (await readTopLevel({ ConsistentRead: true })).blocks.reduce((sum, { count }) => sum + count, 0);

beforeEach(async () => {
  await clearTable();
  await createUsersAt([0, 1, 2].map((user) => Date.now() - HOUR + user));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('a scheduled event indexes settled users', async () => {
  expect(await handler({}, createContext())).toEqual({
    pageIndex: { indexed: 3, folded: 0, ageSeconds: 0 },
    heartbeat: { at: expect.any(String) },
    changeLog: {},
    pageCounts: { repairs: [] },
    erasures: {},
    backfill: expect.objectContaining({ users: 3, endedAt: expect.any(String) }),
  });
  expect(await sumTop()).toBe(3);
});

test('without time left, one batch is still written', async () => {
  expect(await handler({}, outOfTime)).toMatchObject({ pageIndex: { indexed: 3 } });
});

test('on Lambda, the age of the index is written as a metric', async () => {
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

test('a repair event verifies all counts and returns where to continue when time is up', async () => {
  await handler({}, createContext());
  expect(await handler({ repair: true }, createContext())).toEqual({ users: 3, repaired: 0 });
  const first = await handler({ repair: true }, outOfTime);
  expect(first).toEqual({ users: 3, repaired: 0, next: expect.any(String) });
  expect(await handler({ repair: true, from: Object(first).next }, outOfTime)).toEqual({ users: 0, repaired: 0 });
});

test('a busy database is logged as unavailable, and the next run continues', async () => {
  const logged = vi.spyOn(console, 'warn').mockReturnValue();
  vi.spyOn(table, 'send').mockRejectedValueOnce(unavailable());
  expect(await handler({}, createContext())).toMatchObject({ pageIndex: {} });
  expect(logged).toHaveBeenCalledWith({ event: 'unavailable', job: 'pageIndex' });
  expect(await handler({}, createContext())).toMatchObject({ pageIndex: { indexed: 3 } });
});

test('the local schedule runs at once and continues after failures', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  await startSchedule('index-pages', handler).stop();
  expect(await openPageIndex().count()).toBe(3);
  expect(logged).not.toHaveBeenCalled();
  await startSchedule('index-pages', () => Promise.reject(new Error('no table'))).stop();
  expect(logged).toHaveBeenCalledWith({
    event: 'index-pages-failed',
    error: { name: 'Error', message: 'no table' },
  });
});
