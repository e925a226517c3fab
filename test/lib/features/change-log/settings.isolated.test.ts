import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { getItems } from '../../../../lib/dynamodb/batch.ts';
import { table } from '../../../../lib/dynamodb/client.ts';
import { environment, timestamp } from '../../../../lib/environment.ts';
import { findStart, readChangesPage } from '../../../../lib/features/change-log/changes.ts';
import { encodeLogCursor } from '../../../../lib/features/change-log/cursor.ts';
import { changeKey } from '../../../../lib/features/change-log/keys.ts';
import { readLogEnd } from '../../../../lib/features/change-log/order-log.ts';
import { allUsers, formatPosition, type Topic, userTopic } from '../../../../lib/features/change-log/topics.ts';
import { createReactions } from '../../../../lib/on-change/reactions.ts';
import { handleStreamBatch } from '../../../../lib/on-change/stream-batch.ts';
import { newUser, toItem } from '../../users/stored-user.ts';
import { listIds, startSubscriber } from './changes.ts';
import { requestSubscription } from './sse/sse-client.ts';

const { now } = environment;

afterEach(() => {
  environment.now = now;
  vi.unstubAllEnvs();
});

const DAY_SECONDS = 24 * 3600;

async function create(reactions = createReactions()) {
  const user = newUser('Ada Lovelace');
  const { pk, sk, ...attributes } = toItem(user);
  const record = {
    eventName: 'INSERT',
    dynamodb: {
      Keys: marshall({ pk, sk }),
      NewImage: marshall({ pk, sk, ...attributes }),
      SequenceNumber: '7',
      ApproximateCreationDateTime: Math.ceil(environment.now() / 1000),
    },
  } as DynamoDBRecord; // Lambda and the SDK type attribute values differently.
  expect(await handleStreamBatch({ Records: [record] }, reactions)).toEqual({ batchItemFailures: [] });
  const [entry] = await getItems([changeKey(userTopic(user.id).name, formatPosition(7))]);
  return { user, entry };
}

test('CHANGE_LOG=off logs no change of a user', async () => {
  vi.stubEnv('CHANGE_LOG', 'off');
  const end = await readLogEnd();
  const { entry } = await create();
  expect(entry).toBeUndefined();
  expect(await readLogEnd()).toEqual(end);
});

test.each([
  ['CHANGE_LOG', 'off'],
  ['MAX_STREAMS', '0'],
])('with %s=%s, a subscription is rejected as turned off', async (name, value) => {
  vi.stubEnv(name, value);
  const { status, json } = await requestSubscription('subscription { userChanged { kind } }');
  expect({ status, json }).toMatchObject({
    status: 400,
    json: {
      errors: [{ message: 'Subscriptions are turned off in this service', extensions: { code: 'BAD_REQUEST' } }],
    },
  });
});

test.each([
  [undefined, 2],
  ['1', 2],
  ['3650', 3650],
])('with HISTORY_DAYS=%s, a change of a user expires after %i days and an hour', async (historyDays, days) => {
  vi.stubEnv('HISTORY_DAYS', historyDays);
  const now = Math.floor(Date.now() / 1000);
  const { entry } = await create();
  const kept = Number(entry?.expiresAt) - now - 3600;
  expect(kept).toBeGreaterThanOrEqual(days * DAY_SECONDS);
  expect(kept).toBeLessThan(days * DAY_SECONDS + 60);
});

test('after the log was off, cursors and times from before it was turned on again are rejected', async () => {
  await create();
  const readEnd = async () => encodeLogCursor(allUsers, await findStart({ since: timestamp() }));
  const before = await readEnd();
  vi.stubEnv('CHANGE_LOG', 'off');
  const off = new Date(environment.now()).toISOString();
  const { user } = await create();
  vi.unstubAllEnvs();
  environment.now = () => now() + 60_000;

  await expect(findStart({ after: before })).rejects.toThrow('after: is too early: the change log reaches back to');
  await expect(findStart({ since: off })).rejects.toThrow('since: is too early: the change log reaches back to');
  const stop = new AbortController();
  const subscribe = async (topic: Topic, after: string) => startSubscriber(topic, stop.signal, after);
  await expect(subscribe(allUsers, before)).rejects.toThrow(/^after: is too old: changes before .* were not logged/);
  await expect(subscribe(userTopic(user.id), off)).rejects.toThrow('after: is too old');

  const after = await readEnd();
  const { user: next } = await create();
  expect(listIds((await readChangesPage(await findStart({ after }), 10)).changes)).toEqual([next.id]);
  expect(await (await subscribe(allUsers, after)).next()).toMatchObject({ id: next.id });
  stop.abort();
});

test('each change while the log is off extends the gap, and a clock that is behind does not shorten it', async () => {
  await create();
  const start = now() + 120_000;
  vi.stubEnv('CHANGE_LOG', 'off');
  for (const seconds of [0, 60, 30]) {
    environment.now = () => start + seconds * 1000;
    await create();
  }
  vi.unstubAllEnvs();
  environment.now = () => start + 120_000;
  const since = (seconds: number) => new Date(start + seconds * 1000).toISOString();
  await expect(findStart({ since: since(69) })).rejects.toThrow('since: is too early');
  expect(await findStart({ since: since(70) })).toBeDefined();
});

test('while the log is off, a process notes the gap once in ten seconds', async () => {
  await create();
  vi.stubEnv('CHANGE_LOG', 'off');
  const reactions = createReactions();
  const requests = vi.spyOn(table, 'send');
  const start = now() + 300_000;
  const notes: number[] = [];
  for (const seconds of [0, 9, 10, 19, 20]) {
    environment.now = () => start + seconds * 1000;
    requests.mockClear();
    await create(reactions);
    notes.push(requests.mock.calls.filter(([command]) => command instanceof UpdateCommand).length);
  }
  expect(notes).toEqual([1, 0, 1, 0, 1]);
  requests.mockRestore();
});
