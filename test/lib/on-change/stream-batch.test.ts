import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName } from '../../../lib/dynamodb/client.ts';
import { heartbeatKey, newPostKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { backfillJob } from '../../../lib/features/backfill/backfill.ts';
import { readLogEnd } from '../../../lib/features/change-log/order-log.ts';
import { type LogPosition, readChanges } from '../../../lib/features/change-log/read.ts';
import {
  allUsers,
  formatPosition,
  MIN_POSITION,
  postsTopic,
  type Topic,
  userTopic,
} from '../../../lib/features/change-log/topics.ts';
import { runJobs } from '../../../lib/maintenance/run.ts';
import { createReactions } from '../../../lib/on-change/reactions.ts';
import { handleRecords, handleStreamBatch } from '../../../lib/on-change/stream-batch.ts';
import { failRequests, throttled } from '../features/change-log/fail-requests.ts';
import { newUser, toItem } from '../users/stored-user.ts';

const warn = vi.spyOn(console, 'warn').mockReturnValue();
const error = vi.spyOn(console, 'error').mockReturnValue();
afterEach(() => vi.clearAllMocks());

const reactions = createReactions();
let sequence = 0;
function newRecord({ pk, sk }: { pk: string; sk: string }, eventName: 'MODIFY' | 'REMOVE' = 'MODIFY'): DynamoDBRecord {
  const SequenceNumber = String(++sequence);
  const Keys = { pk: { S: pk }, sk: { S: sk } };
  const dynamodb = { Keys, SequenceNumber, ...(eventName === 'MODIFY' ? { NewImage: Keys } : {}) };
  return { eventID: `event-${SequenceNumber}`, eventName, dynamodb };
}

const START: LogPosition = { watermark: MIN_POSITION, offset: 0 };

async function read(topic: Topic, start = START) {
  const changes = [];
  for await (const each of readChanges(topic, start)) changes.push(each);
  return changes;
}

const countChanges = async (topic: Topic) => (await read(topic)).length;

const isPut = (request: string, id: string) => request.includes('searchFrom') && request.includes(id);

const newIds = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
const firstFailure = (record: DynamoDBRecord | undefined) => ({
  batchItemFailures: [{ itemIdentifier: record?.dynamodb?.SequenceNumber }],
});

test('a change that cannot be appended delays only later changes of its user', async () => {
  const [bad = '', ...others] = newIds(3);
  using _ = failRequests((request) => (isPut(request, bad) ? new Error('too large') : undefined));
  const Records = [...others, bad, ...others, bad].map((id) => newRecord(userKey(id)));
  expect(await handleStreamBatch({ Records }, reactions)).toEqual(firstFailure(Records[2]));
  expect(await Promise.all([...others, bad].map((id) => countChanges(userTopic(id))))).toEqual([2, 2, 0]);
  expect(error).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ event: 'internal-error', eventId: 'event-3' }),
  );
});

test('a user damaged by hand after a change delays no other changes', async () => {
  await runJobs([backfillJob], () => true);
  const user = newUser('Ada');
  const item = toItem(user);
  await putItems([{ ...item, updatedAt: 'yesterday' }]);
  const record = newRecord(userKey(user.id));
  Object.assign(record.dynamodb ?? {}, { NewImage: marshall(item) });
  expect(await handleStreamBatch({ Records: [record] }, reactions)).toEqual({ batchItemFailures: [] });
  expect(error).not.toHaveBeenCalled();
});

test('a throttled user is logged as unavailable, and the later changes of this user wait', async () => {
  const [again = '', other = ''] = newIds(2);
  let requests = 0;
  const throttleFirst = failRequests((request) =>
    isPut(request, again) && requests++ === 0 ? throttled() : undefined,
  );
  const Records = [again, other, again].map((id) => newRecord(userKey(id)));
  const batch = await handleRecords(Records, reactions);
  throttleFirst[Symbol.dispose]();
  expect(batch.records.map(({ source }) => source)).toEqual(Records.slice(1));
  expect(await Promise.all([again, other].map((id) => countChanges(userTopic(id))))).toEqual([0, 1]);
  expect(error).not.toHaveBeenCalled();
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ event: 'unavailable', records: 1 }));

  expect(await handleStreamBatch({ Records }, reactions)).toEqual({ batchItemFailures: [] });
  expect(await Promise.all([again, other].map((id) => countChanges(userTopic(id))))).toEqual([2, 1]);
});

test('changes rejected by the throttled order log are redelivered and logged once', async () => {
  const ids = newIds(120);
  const start = formatPosition((await readLogEnd()).number);
  const throttleOrder = failRequests((request) => (request.includes('previous') ? throttled() : undefined));
  const Records = ids.map((id) => newRecord(userKey(id)));
  const batch = await handleRecords(Records, reactions);
  throttleOrder[Symbol.dispose]();
  expect(batch.records).toEqual([]);
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ event: 'unavailable', records: 120 }));

  for (let deliveries = 0; deliveries < 2; deliveries++)
    expect(await handleStreamBatch({ Records }, reactions)).toEqual({ batchItemFailures: [] });
  const changes = await read(allUsers, { watermark: start, offset: 0 });
  expect(changes.map(({ change }) => change?.id)).toEqual(ids);
});

test('a batch is consumed as soon as the database is available again', async () => {
  const [user = '', author = ''] = newIds(2);
  const Records = [newRecord(userKey(user)), newRecord(newPostKey(author, user))];
  let requests = 0;
  using _ = failRequests(() => (requests++ < 4 ? throttled() : undefined));
  expect(await handleStreamBatch({ Records }, reactions)).toEqual({ batchItemFailures: [] });
  expect(await Promise.all([userTopic(user), postsTopic(author)].map(countChanges))).toEqual([1, 1]);
});

test.each([
  ['AccessDeniedException', 'is repeated until it succeeds'],
  ['ValidationException', 'is left to the next delivery'],
])('a batch for which DynamoDB answers %s %s', async (name, end) => {
  const [user = ''] = newIds(1);
  const Records = [newRecord(userKey(user))];
  let requests = 0;
  const denied = Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 400 } });
  using _ = failRequests(() => (requests++ < 3 ? denied : undefined));
  const expected = end.endsWith('delivery') ? firstFailure(Records[0]) : { batchItemFailures: [] };
  expect(await handleStreamBatch({ Records }, createReactions())).toEqual(expected);
  expect(error).toHaveBeenCalled();
});

test('a record that occurs twice in a batch is logged once', async () => {
  const [user = '', author = ''] = newIds(2);
  const Records = [newRecord(userKey(user)), newRecord(newPostKey(author, user))].flatMap((record) => [record, record]);
  expect(await handleStreamBatch({ Records }, reactions)).toEqual({ batchItemFailures: [] });
  expect(await Promise.all([userTopic(user), postsTopic(author)].map(countChanges))).toEqual([1, 1]);
});

test('a failed purge does not delay changes of the same batch', async () => {
  const [deleted = '', author = '', post = ''] = newIds(3);
  using _ = failRequests((request) =>
    request.includes('POST#') && request.includes(deleted) ? throttled() : undefined,
  );
  const Records = [newRecord(userKey(deleted), 'REMOVE'), newRecord(newPostKey(author, post))];
  expect((await handleRecords(Records, reactions)).remaining).toEqual(Records);
  expect(await Promise.all([userTopic(deleted), postsTopic(author)].map(countChanges))).toEqual([1, 1]);
});

test.each([
  ['Lambda', 1_700_000_000],
  ['the SDK', new Date(1_700_000_000_000)],
  ['the AWS CLI', '2023-11-14T22:13:20+00:00'],
])('a record is logged with its time in the form of %s', async (_, time) => {
  const id = crypto.randomUUID();
  const record = newRecord(userKey(id));
  Object.assign(record.dynamodb ?? {}, { ApproximateCreationDateTime: time });
  expect(await handleStreamBatch({ Records: [record] }, reactions)).toEqual({ batchItemFailures: [] });
  expect(await read(userTopic(id))).toMatchObject([{ change: { streamedAt: 1_700_000_000_000 } }]);
});

test('records of other items are ignored, and a heartbeat reads nothing', async () => {
  const others = ['EMAIL#ada@example.com', 'PAGES#0', 'CHANGES#USERS'].map((pk) => ({ pk, sk: 'USER' }));
  const Records = [...others, heartbeatKey].map((key) => newRecord(key, 'REMOVE'));
  const requests: string[] = [];
  using _ = failRequests((request) => {
    requests.push(request);
    return undefined;
  });
  // New reactions have no cached end of the log, so a record to log would cause a read.
  expect(await handleStreamBatch({ Records }, createReactions())).toEqual({ batchItemFailures: [] });
  expect(requests).toEqual([]);
});

test('records of the table from which this one was restored change nothing and wait', async () => {
  const [user, post] = [crypto.randomUUID(), newPostKey(crypto.randomUUID(), crypto.randomUUID())];
  const source = (table: string) => ({
    eventSourceARN: `arn:aws:dynamodb:eu-west-1:1:table/${table}/stream/2026-01-31`,
  });
  const records = [newRecord(userKey(user)), newRecord(post, 'REMOVE')];
  const Records = records.map((record) => ({ ...record, ...source('former') }));
  expect(await handleStreamBatch({ Records }, reactions)).toEqual(firstFailure(records[0]));
  expect(await countChanges(userTopic(user))).toBe(0);
  const own = records.map((record) => ({ ...record, ...source(TableName) }));
  expect(await handleStreamBatch({ Records: own }, reactions)).toEqual({ batchItemFailures: [] });
  expect(await countChanges(userTopic(user))).toBe(1);
});

/** The order of changes is a known limit: see lib/features/change-log/README.md. */
test("after DynamoDB has split an author's posts, a late change reaches only new subscribers", async () => {
  const author = crypto.randomUUID();
  const early = newRecord(newPostKey(author, crypto.randomUUID()));
  const late = newRecord(newPostKey(author, crypto.randomUUID()));
  await handleStreamBatch({ Records: [late] }, reactions);
  const [first] = await read(postsTopic(author));
  await handleStreamBatch({ Records: [early] }, reactions);
  expect(await read(postsTopic(author), first?.position)).toEqual([]);
  expect(await countChanges(postsTopic(author))).toBe(2);
});

test('a record of another item is not parsed', async () => {
  const record = newRecord({ pk: 'CHANGES#1', sk: '1' });
  // The image has an empty map without value, as in DynamoDB Local, so parsing would throw.
  Object.assign(record.dynamodb ?? {}, { NewImage: { item: { M: { fields: {} } } } });
  expect(await handleStreamBatch({ Records: [record] }, reactions)).toEqual({ batchItemFailures: [] });
});

test('deletion records are read once for all reactions', async () => {
  const requests: string[] = [];
  using _ = failRequests((request) => void requests.push(request));
  const [id = ''] = newIds(1);
  const Records = [newRecord(userKey(id), 'REMOVE'), newRecord(newPostKey(id, crypto.randomUUID()), 'REMOVE')];
  expect(await handleStreamBatch({ Records }, reactions)).toEqual({ batchItemFailures: [] });
  expect(requests.filter((request) => /"Keys":.*"sk":"DELETED"/.test(request))).toHaveLength(1);
});
