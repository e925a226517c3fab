import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { deleteItems, putItems } from '../../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { DIRECTORY, type Key, userKey } from '../../../../lib/dynamodb/keys.ts';
import { environment, timestamp } from '../../../../lib/environment.ts';
import { indexPages } from '../../../../lib/features/page-index/indexer.ts';
import { SETTLING_MS } from '../../../../lib/features/page-index/timing.ts';
import { sizes } from '../../../../lib/sizes.ts';
import { returnUsers } from '../../../../lib/users/return.ts';
import { newUser } from '../../../../lib/users/user.ts';

export const START = Date.parse('2026-01-01');
export const MINUTE = 60_000;

/** Sets the clock until `vi.useRealTimers`. Timers keep running. */
export const setTime = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: milliseconds });

export const pause = async (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds);

const real = { pause: environment.pause, fanout: sizes.fanout };

/** For the tests of a file: a few users fill all levels, and pauses only move the clock. */
export function simulatePageIndex(): void {
  const simulate = () => {
    environment.pause = pause;
    sizes.fanout = { users: 2, blocks: 2 };
  };
  beforeAll(simulate);
  beforeEach(simulate);
  afterAll(() => {
    environment.pause = real.pause;
    sizes.fanout = real.fanout;
  });
}

/** Waits until all users have settled, then indexes them. */
export async function index(hasTimeLeft?: () => boolean) {
  await pause(SETTLING_MS + 1);
  return indexPages(hasTimeLeft);
}

export async function clearTable(): Promise<void> {
  const scan = { TableName, ProjectionExpression: 'pk, sk', ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: table }, scan)) await deleteItems(Items as Key[]); // The scan projects the keys only.
}

export async function readTable(): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true }))
    items.push(...Items);
  return items;
}

export async function fillTable(items: Record<string, unknown>[]): Promise<void> {
  await clearTable();
  await putItems(items);
}

export async function createUserAt(milliseconds: number): Promise<string> {
  const [id = ''] = await createUsersAt([milliseconds]);
  return id;
}

export async function createUsersAt(times: number[]): Promise<string[]> {
  const users = times.map((time) => ({ id: uuidv7({ msecs: time }), at: new Date(time).toISOString() }));
  await putItems(users.map(({ id, at }) => userItem(id, at)));
  return users.map(({ id }) => id);
}

const userItem = (id: string, at: string) => ({
  ...userKey(id),
  directory: DIRECTORY,
  name: 'Ada',
  email: `${id}@example.org`,
  createdAt: at,
  updatedAt: at,
  version: 1,
});

/** Creates users a second apart, and sets the time to one second after the last. */
export function createUsers(count: number): Promise<string[]> {
  setTime(START + count * 1000);
  return createUsersAt(Array.from({ length: count }, (_, second) => START + second * 1000));
}

/** Calls `other` before request number `at` of `run`, counted from 0. Returns false if `run` sends fewer requests. */
export async function interrupt(run: () => Promise<unknown>, at: number, other: () => Promise<unknown>) {
  let requests = 0;
  table.middlewareStack.add(
    (next) => async (args) => {
      if (requests++ === at) await other();
      return next(args);
    },
    { step: 'initialize', name: 'interrupt' },
  );
  try {
    await run();
  } finally {
    table.middlewareStack.remove('interrupt');
  }
  return requests > at;
}

class Crash extends Error {}

/**
 * Ends `run` at write number `at`, counted from 0. `isWritten`: only the answer is lost. Returns false if `run` writes
 * less often.
 */
export async function crash(run: () => Promise<unknown>, at: number, isWritten: boolean): Promise<boolean> {
  let writes = 0;
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!/Write|Update|Put|Delete/.test(commandName) || writes++ < at) return next(args);
        if (isWritten && writes === at + 1) await next(args);
        throw new Crash();
      },
    { step: 'initialize', name: 'crash' },
  );
  try {
    await run();
    return false;
  } catch (error) {
    // runJobs throws one error for all jobs: each job after the crash fails as well.
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    if (errors.every((each) => each instanceof Crash)) return true;
    throw error;
  } finally {
    table.middlewareStack.remove('crash');
  }
}

/** Creates a user under an id that exists or existed, like an import. */
export async function returnUser(id: string): Promise<void> {
  const user = newUser({ name: 'Ada', email: `${id}@example.org` }, 'test', { id, createdAt: timestamp() });
  const [{ kind } = {}] = await returnUsers([{ create: () => user }]);
  if (kind !== 'written') throw new Error(`The user ${id} was not created: ${kind}`);
}
