import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName } from '../../../lib/dynamodb/client.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';
import { environment } from '../../../lib/environment.ts';
import { backfillJob } from '../../../lib/features/backfill/backfill.ts';
import { readEntries } from '../../../lib/features/change-log/read.ts';
import { MIN_POSITION, userTopic } from '../../../lib/features/change-log/topics.ts';
import { runJobs } from '../../../lib/maintenance/run.ts';
import { failRequests } from '../features/change-log/fail-requests.ts';
import { newUser, toItem } from '../users/stored-user.ts';
import { startQueue } from './queue.ts';

const STREAM = `arn:aws:dynamodb:eu-west-1:1:table/${TableName}/stream/2026-01-31`;

const queue = await startQueue();
afterAll(queue.stop);
const { handler } = await import('../../../functions/on-change.ts');
const error = vi.spyOn(console, 'error').mockReturnValue();
beforeEach(() => {
  vi.stubEnv('DEAD_LETTER_QUEUE_URL', `${queue.url}/1/changes`);
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'Users-onchange');
});
afterEach(() => {
  Object.assign(queue, { messages: [], isDown: false });
  vi.clearAllMocks();
  vi.unstubAllEnvs();
});

let sequence = 0;
function newRecord(id: string, minutesAgo: number): DynamoDBRecord {
  const { pk, sk } = userKey(id);
  const Keys = { pk: { S: pk }, sk: { S: sk } };
  const SequenceNumber = String(++sequence);
  const ApproximateCreationDateTime = Date.now() / 1000 - minutesAgo * 60;
  const dynamodb = { Keys, NewImage: Keys, SequenceNumber, ApproximateCreationDateTime };
  return { eventID: `event-${SequenceNumber}`, eventName: 'MODIFY', eventSourceARN: STREAM, dynamodb };
}

const poison = (id: string) =>
  failRequests((request) => (request.includes('searchFrom') && request.includes(id) ? new Error('a bug') : undefined));

const name = ({ dynamodb }: DynamoDBRecord) => ({
  consumer: 'Users-onchange',
  DDBStreamBatchInfo: {
    streamArn: STREAM,
    startSequenceNumber: dynamodb?.SequenceNumber,
    endSequenceNumber: dynamodb?.SequenceNumber,
  },
});

async function countEntries(id: string): Promise<number> {
  let count = 0;
  for await (const _ of readEntries(userTopic(id), MIN_POSITION)) count++;
  return count;
}

const newIds = () => [crypto.randomUUID(), crypto.randomUUID()] as const;
const DONE = { batchItemFailures: [] };
const failure = ({ dynamodb }: DynamoDBRecord) => ({
  batchItemFailures: [{ itemIdentifier: dynamodb?.SequenceNumber }],
});

test('a record that the code cannot handle becomes a dead letter without content, and blocks nothing', async () => {
  const [bad, other] = newIds();
  const Records = [newRecord(bad, 16), newRecord(other, 16), newRecord(bad, 16), newRecord(other, 1)] as const;
  using _ = poison(bad);
  expect(await handler({ Records: [...Records] })).toEqual(DONE);
  expect(queue.messages).toEqual([name(Records[0]), name(Records[2])]);
  expect(await countEntries(other)).toBe(2);
});

test('a broken record is redelivered until it is 15 minutes old, so that the deploy can be rolled back', async () => {
  const [bad] = newIds();
  const record = newRecord(bad, 14);
  {
    using _ = poison(bad);
    expect(await handler({ Records: [record] })).toEqual(failure(record));
  }
  expect(queue.messages).toEqual([]);
  expect(await handler({ Records: [record] })).toEqual(DONE);
  expect(await countEntries(bad)).toBe(1);
});

test.each(['the queue takes nothing', 'it is redriven', 'there is no queue'])(
  'a broken record is kept if %s',
  async (reason) => {
    const [bad] = newIds();
    const record = newRecord(bad, 16);
    queue.isDown = reason === 'the queue takes nothing';
    if (reason === 'there is no queue') vi.stubEnv('DEAD_LETTER_QUEUE_URL', undefined);
    using _ = poison(bad);
    expect(await handler({ Records: [record], isRedriven: reason === 'it is redriven' })).toEqual(failure(record));
    expect(queue.messages).toEqual([]);
    expect(error).toHaveBeenCalled();
  },
);

test('an old record is redelivered if other writes prevent the rewrite of its user until the deadline', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  await runJobs([backfillJob], () => true);
  const user = newUser('Ada');
  await putItems([{ ...toItem(user), derived: [] }]);
  const { dynamodb, ...record } = newRecord(user.id, 16);
  const NewImage = marshall({ ...toItem(user), derived: [] }) as never;
  const written: DynamoDBRecord = { ...record, dynamodb: { ...dynamodb, NewImage } };
  const { elapsed } = environment;
  {
    using _ = failRequests((request) => {
      if (!request.includes('TransactItems') || !request.includes(':record')) return undefined;
      environment.elapsed = () => elapsed() + 60_000;
      const CancellationReasons = [{ Code: 'TransactionConflict' }];
      return new TransactionCanceledException({ message: 'conflict', $metadata: {}, CancellationReasons });
    });
    expect(await handler({ Records: [written] })).toEqual(failure(written));
  }
  expect(environment.elapsed).not.toBe(elapsed);
  environment.elapsed = elapsed;
  expect(queue.messages).toEqual([]);
  expect(await handler({ Records: [written] })).toEqual(DONE);
});
