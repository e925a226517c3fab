import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tableSource } from '../../../../infra/scripts/transfer/table-source.ts';
import { putItems } from '../../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { environment } from '../../../../lib/environment.ts';
import { epochJob } from '../../../../lib/features/change-log/epochs.ts';
import { epochKey } from '../../../../lib/features/change-log/keys.ts';
import { EPOCH } from '../../../../lib/features/change-log/topics.ts';
import { runJobs } from '../../../../lib/maintenance/run.ts';
import { execute } from '../../graphql/client.ts';
import { bare, parseError } from '../../rest/client.ts';
import { newUser, toItem } from '../../users/stored-user.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const { now } = environment;
const start = now();
const setTime = (time: number) => {
  environment.now = () => time;
};
const format = (time: number) => new Date(time).toISOString();

beforeEach(() => setTime(start));
afterEach(() => {
  environment.now = now;
});

/** The log lacks changes of users older than itself. */
const putOldUser = () =>
  putItems([
    {
      ...toItem(newUser('Old')),
      pk: 'USER#01800000-0000-7000-8000-000000000000',
      createdAt: '2022-04-13T00:00:00.000Z',
    },
  ]);

const beginLog = (at: number) => putItems([{ ...epochKey(EPOCH), since: format(at), keptSeconds: 25 * 3600 }]);

/** Returns the error message, or undefined if changes are read from this time. */
type Read = (since: string) => Promise<string | undefined>;

const query =
  (document: string): Read =>
  async (since) =>
    (await execute(`query ($since: DateTime) { ${document} }`, { since })).errors?.[0]?.message;

const userChanges = query('userChanges(since: $since) { nodes { id } }');

const readers: [string, Read][] = [
  ['userChanges', userChanges],
  ['users', query('users(filter: { changedSince: $since }) { nodes { id } }')],
  [
    'REST',
    async (changedSince) => {
      const response = await bare.list({ changedSince });
      return response.status === 200 ? undefined : parseError(response).error;
    },
  ],
  [
    'an export',
    (since) =>
      tableSource.readChanges(since).then(
        () => undefined,
        ({ message }: Error) => message,
      ),
  ],
];

const parseEarliest = (message: string | undefined) => /reaches back to (\S+);/.exec(message ?? '')?.[1];

test.each(readers)('the earliest time that %s names is accepted for ten minutes', async (_, read) => {
  await beginLog(start - 90 * DAY_MS);
  const earliest = format(start - 25 * 60 * MINUTE_MS);
  expect(parseEarliest(await read(format(start - 2 * DAY_MS)))).toBe(earliest);
  for (const minutes of [0, 10]) {
    setTime(start + minutes * MINUTE_MS);
    expect(await read(earliest)).toBeUndefined();
  }
  setTime(start + 10 * MINUTE_MS + 1);
  expect(await read(earliest)).toContain('is too early');
});

test.each(readers)('%s names the start of a log that began later than that, for each earlier time', async (_, read) => {
  await putOldUser();
  const begun = start - 60 * MINUTE_MS;
  await beginLog(begun);
  for (const time of [start - 90 * DAY_MS, start - 25 * 60 * MINUTE_MS, begun - 1])
    expect(parseEarliest(await read(format(time)))).toBe(format(begun));
  expect(await read(format(begun))).toBeUndefined();
});

test.each(readers)('%s rejects a time in the future, except for wrong clocks of clients', async (_, read) => {
  await beginLog(start - 90 * DAY_MS);
  expect(await read(format(start + 10 * MINUTE_MS))).toBeUndefined();
  for (const time of [format(start + 10 * MINUTE_MS + 1), '9999-12-31T23:59:59.999Z'])
    expect(await read(time)).toMatch(/^\w+: is in the future: the service's time is /);
});

test('the start of a log without changes does not move', async () => {
  await putOldUser();
  await table.send(new DeleteCommand({ TableName, Key: epochKey(EPOCH) }));
  await runJobs([epochJob], () => true);
  setTime(start + 30 * MINUTE_MS);
  await runJobs([epochJob], () => true);
  expect(parseEarliest(await userChanges(format(start - DAY_MS)))).toBe(format(start));
  expect(await userChanges(format(start))).toBeUndefined();
});

test('the start of a log without an epoch is never before a later epoch', async () => {
  await putOldUser();
  await table.send(new DeleteCommand({ TableName, Key: epochKey(EPOCH) }));
  expect(parseEarliest(await userChanges(format(start - DAY_MS)))).toBe(format(start));
  await runJobs([epochJob], () => true);
  expect(await userChanges(format(start))).toBeUndefined();
});
