import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { putItems } from '../../../../lib/dynamodb/batch.ts';
import {
  formatPostId,
  type Item,
  type Key,
  parseUserId,
  requirePostKey,
  userKey,
} from '../../../../lib/dynamodb/keys.ts';
import { readStoredEntries } from '../../../../lib/features/change-log/read.ts';
import { findTopic, MIN_POSITION } from '../../../../lib/features/change-log/topics.ts';
import { createPost } from '../../../../lib/posts/write.ts';
import { createUser } from '../../../setup/create-user.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { findItem, logChange } from '../../on-change/log-write.ts';
import { startQueue } from '../../on-change/queue.ts';
import { type Entry, startEventBus } from './event-bus.ts';
import { firstFailure, newIds, newRecord, toStreamRecord } from './records.ts';

const bus = await startEventBus();
process.env.EVENT_BUS_NAME = 'users';
process.env.EVENT_SOURCE = 'user-management/Test';
const { handler } = await import('../../../../functions/publish-events.ts');

const warn = vi.spyOn(console, 'warn').mockReturnValue();
const error = vi.spyOn(console, 'error').mockReturnValue();
afterEach(() => {
  bus.reset();
  vi.clearAllMocks();
  vi.unstubAllEnvs();
});
afterAll(bus.stop);

const DONE = { batchItemFailures: [] };
const isFor = (id: string) => (entry: Entry) => entry.Detail.includes(id);

test("a change is put on the stack's bus as a CloudEvent, with the time and type for rules", async () => {
  const [id = ''] = newIds(1);
  expect(await handler({ Records: [newRecord(id, 1), newRecord(id, 2)] })).toEqual(DONE);
  expect(bus.requests.flat()).toMatchObject([
    { EventBusName: 'users', Source: 'user-management/Test', DetailType: 'user.created', Time: 1767225601 },
    { EventBusName: 'users', Source: 'user-management/Test', DetailType: 'user.updated', Time: 1767225602 },
  ]);
  const before = { id, name: 'Ada 1', email: 'ada@example.com', createdAt: '2026-01-01T00:00:01.000Z', version: 1 };
  expect(bus.accepted[1]).toMatchObject({
    specversion: '1.0',
    id: expect.stringMatching(new RegExp(`^epoch123#USER#${id}/\\d{40}$`)),
    source: 'user-management/Test',
    type: 'user.updated',
    subject: id,
    time: '2026-01-01T00:00:02.000Z',
    datacontenttype: 'application/json',
    data: { kind: 'UPDATED', id, version: 2, by: 'sub:ada', before, after: { ...before, name: 'Ada 2', version: 2 } },
  });
});

test('a redelivered record is published with the same id', async () => {
  const [id = ''] = newIds(1);
  const Records = [newRecord(id, 1)];
  for (let delivery = 1; delivery <= 2; delivery++) expect(await handler({ Records })).toEqual(DONE);
  expect(bus.accepted).toHaveLength(2);
  expect(new Set(bus.accepted.map((event) => event.id)).size).toBe(1);
});

test('a request has at most ten entries, one per user, and 256 kB', async () => {
  const ids = newIds(25);
  const small = ids.flatMap((id) => [newRecord(id, 1), newRecord(id, 2)]);
  expect(await handler({ Records: small })).toEqual(DONE);
  expect(bus.accepted).toHaveLength(50);
  expect(bus.requests.map((entries) => entries.length)).toEqual([10, 10, 5, 10, 10, 5]);
  bus.reset();
  // Only two of these records fit into 256 kB.
  const large = ids.slice(0, 4).map((id) => newRecord(id, 2, { by: 'x'.repeat(100_000) }));
  expect(await handler({ Records: large })).toEqual(DONE);
  expect(bus.requests.map((entries) => entries.length)).toEqual([2, 2]);
});

test('throttled entries are put again before later changes of their users', async () => {
  const [slow = '', fast = ''] = newIds(2);
  const Records = [newRecord(slow, 1), newRecord(slow, 2), newRecord(fast, 1), newRecord(fast, 2)];
  let throttles = 3;
  bus.answer = (entries) =>
    entries.map((entry) => (isFor(slow)(entry) && throttles-- > 0 ? 'ThrottlingException' : undefined));
  expect(await handler({ Records })).toEqual(DONE);
  expect(bus.accepted.filter(({ subject }) => subject === slow).map(({ data }) => data.version)).toEqual([1, 2]);
  expect(bus.accepted.filter(({ subject }) => subject === fast).map(({ data }) => data.version)).toEqual([1, 2]);
  expect(bus.accepted).toHaveLength(4);
  expect([warn, error].flatMap(({ mock }) => mock.calls)).toEqual([]);
});

test.each([
  ['throttles all requests', { status: 400, type: 'ThrottlingException' }],
  ['fails', { status: 500, type: 'InternalException' }],
  ['breaks the connection', 'reset'],
] as const)('a bus that %s until the deadline leaves the batch to its next delivery', async (_, answer) => {
  vi.stubEnv('BATCH_TIME_LIMIT_MS', '300');
  const ids = newIds(3);
  const Records = ids.map((id) => newRecord(id, 1));
  bus.answer = () => answer;
  expect(await handler({ Records })).toEqual(firstFailure(Records[0]));
  expect(warn).toHaveBeenCalledExactlyOnceWith({ event: 'events-delayed', records: 3 });
  expect(error).not.toHaveBeenCalled();
  bus.reset();
  // A busy machine may need longer than 300 ms.
  vi.unstubAllEnvs();
  expect(await handler({ Records })).toEqual(DONE);
  // Compares sets: a request in flight at the deadline may still arrive and repeat an event.
  expect(new Set(bus.accepted.map(({ subject }) => subject))).toEqual(new Set(ids));
});

test('a permanently rejected event delays only later ones of its user, which are not repeated with it', async () => {
  const [first = '', bad = '', other = ''] = newIds(3);
  const Records = [newRecord(first, 1), newRecord(bad, 1), newRecord(bad, 2), newRecord(other, 1)];
  bus.answer = (entries) => entries.map((entry) => (isFor(bad)(entry) ? 'MalformedDetail' : undefined));
  expect(await handler({ Records })).toEqual(firstFailure(Records[1]));
  expect(bus.accepted.map(({ subject }) => subject)).toEqual([first, other]);
  expect(error).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ event: 'internal-error', eventId: Records[1]?.eventID }),
  );
  expect(JSON.stringify(error.mock.calls)).not.toMatch(/Ada|example|quotes/);
  expect(await handler({ Records: Records.slice(1) })).toEqual(firstFailure(Records[1]));
  expect(bus.accepted.map(({ subject }) => subject)).toEqual([first, other]);
  bus.reset();
  expect(await handler({ Records: Records.slice(1) })).toEqual(DONE);
  expect(bus.accepted.map(({ subject, data }) => [subject, data.version])).toEqual([
    [bad, 1],
    [bad, 2],
  ]);
});

test('an event rejected for 15 minutes becomes a dead letter, and later ones of its user are published', async () => {
  const queue = await startQueue();
  vi.stubEnv('DEAD_LETTER_QUEUE_URL', `${queue.url}/1/events`);
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'Users-publishevents');
  const [bad = '', other = ''] = newIds(2);
  const Records = [newRecord(bad, 1), newRecord(bad, 2), newRecord(other, 1)];
  for (const { dynamodb } of Records)
    Object.assign(dynamodb ?? {}, { ApproximateCreationDateTime: Date.now() / 1000 - 16 * 60 });
  bus.answer = (entries) =>
    entries.map(({ Detail }) =>
      JSON.parse(Detail).data.version === 1 && Detail.includes(bad) ? 'MalformedDetail' : undefined,
    );
  expect(await handler({ Records })).toEqual(DONE);
  expect(bus.accepted.map(({ subject, data }) => [subject, data.version])).toEqual([
    [other, 1],
    [bad, 2],
  ]);
  const number = Records[0]?.dynamodb?.SequenceNumber;
  expect(queue.messages).toEqual([
    {
      consumer: 'Users-publishevents',
      DDBStreamBatchInfo: { startSequenceNumber: number, endSequenceNumber: number },
    },
  ]);
  queue.stop();
});

test('a damaged entry is reported and delays no other user', async () => {
  const [bad = '', other = ''] = newIds(2);
  const Records = [newRecord(bad, 1, { item: { name: 'Ada Lovelace' } }), newRecord(other, 1)];
  expect(await handler({ Records })).toEqual(firstFailure(Records[0]));
  expect(bus.accepted.map(({ subject }) => subject)).toEqual([other]);
  expect(JSON.stringify(error.mock.calls)).not.toContain('Lovelace');
});

/** Changes attributes by hand, and returns the stream's record of the entry that on-change logs. */
async function editByHand(key: Key, changes: Item): Promise<DynamoDBRecord> {
  const before = await findItem(key);
  await putItems([{ ...before, ...changes }]);
  await logChange(before, await findItem(key));
  const topic = findTopic(key.sk === 'USER' ? parseUserId(key.pk) : formatPostId(key));
  const entries = await Array.fromAsync(readStoredEntries(topic, MIN_POSITION));
  const last = entries.at(-1);
  if (!last) throw new Error(`The change of ${key.pk} was not logged`);
  return toStreamRecord(last);
}

test.each([
  ['user', 'updatedAt', 'yesterday'],
  ['user', 'updatedAt', '2026-11-31T00:00:00.000Z'],
  ['user', 'createdAt', '0000-01-01T00:00:00.000Z'],
  ['post', 'updatedAt', 'yesterday'],
  ['post', 'createdAt', ''],
])('a %s with %s = %j, edited by hand, blocks only its own log until it is repaired', async (type, name, time) => {
  const [bad, other] = [await createUser(newPerson()), await createUser(newPerson())];
  const post = await createPost({ authorId: bad.id, title: 'Notes' }, 'test');
  const key = type === 'user' ? userKey(bad.id) : requirePostKey(post.id);
  const { [name]: intact } = (await findItem(key)) ?? {};
  const damaged = await editByHand(key, { [name]: time });
  const Records = [damaged, await editByHand(userKey(other.id), { name: 'Other' })];
  expect(await handler({ Records })).toEqual(firstFailure(damaged));
  expect(bus.accepted.map(({ subject }) => subject)).toEqual([other.id]);
  const repaired = await editByHand(key, { [name]: intact });
  expect(await handler({ Records: [repaired] })).toEqual(DONE);
  expect(bus.accepted.at(-1)).toMatchObject({
    subject: bad.id,
    time: expect.stringMatching(/^20/),
    data: { before: null, after: { [name]: intact } },
  });
});

test('for a person erased before publication, only the deletion is published', async () => {
  const [erased = '', other = ''] = newIds(2);
  const content = { item: null, before: undefined };
  const Records = [
    newRecord(erased, 1, content),
    newRecord(erased, 2, content),
    newRecord(erased, 3, { ...content, kind: 'DELETED' }),
    newRecord(other, 1),
  ];
  expect(await handler({ Records })).toEqual(DONE);
  expect(bus.accepted.map(({ type, subject, data }) => [type, subject, data.before])).toEqual(
    expect.arrayContaining([
      ['user.deleted', erased, null],
      ['user.created', other, null],
    ]),
  );
  expect(bus.accepted).toHaveLength(2);
  expect(error).not.toHaveBeenCalled();
});

test.each(['AccessDeniedException', 'NotAuthorizedForDetailTypeException', 'KMSDisabledException'])(
  'a bus that answers %s is retried, and one log line has the code without the quoted event',
  async (type) => {
    vi.stubEnv('BATCH_TIME_LIMIT_MS', '300');
    const Records = newIds(2).map((id) => newRecord(id, 1));
    for (const answer of [() => ({ status: 400, type }), (entries: Entry[]) => entries.map(() => type)]) {
      bus.answer = answer;
      expect(await handler({ Records })).toEqual(firstFailure(Records[0]));
      expect(bus.requests.length).toBeGreaterThan(1);
      expect(error).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({
          event: 'internal-error',
          error: expect.objectContaining({ message: expect.stringContaining(type) }),
        }),
      );
      expect(JSON.stringify(error.mock.calls)).not.toMatch(/Ada|example|quotes/);
      vi.clearAllMocks();
      bus.reset();
    }
    // A busy machine may need longer than 300 ms.
    vi.unstubAllEnvs();
    expect(await handler({ Records })).toEqual(DONE);
  },
);

test('records of other items, and overwritten or expired entries, are ignored', async () => {
  const [id = ''] = newIds(1);
  const entry = newRecord(id, 1);
  const others = [`USER#${id}`, 'CHANGES#epoch123', 'CHANGES#epoch123#ALL', 'PAGES#0'].map((pk) => ({
    ...entry,
    dynamodb: { ...entry.dynamodb, Keys: { pk: { S: pk }, sk: { S: 'USER' } } },
  }));
  const Records = [...others, { ...entry, eventName: 'MODIFY' as const }, { ...entry, eventName: 'REMOVE' as const }];
  expect(await handler({ Records })).toEqual(DONE);
  expect(bus.requests).toEqual([]);
});
