import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  DynamoDBStreamsServiceException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { type CheckpointFile, type Checkpoints, storeCheckpoints } from './checkpoints.ts';

export type Consumer = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
/** `checkpoints`: positions to start after. New positions are stored in `file`, if set, and in memory. */
export type StreamOptions = {
  file?: CheckpointFile | undefined;
  checkpoints?: Checkpoints | undefined;
  pollIntervalMs?: number;
};

export type StreamFollower = { readCheckpoints(): Checkpoints; stop(): Promise<void> };

const BATCH_SIZE = 100;

/**
 * Passes records to the consumer like Lambda: in order, one batch at a time, and again from the first failed record.
 */
export async function followStream(
  StreamArn: string,
  consumer: Consumer,
  { file, checkpoints = {}, pollIntervalMs = 150 }: StreamOptions = {},
): Promise<StreamFollower> {
  const client = createClient();
  // Once these positions are stored, records that the consumer has not read are kept, even across restarts.
  if (file) storeCheckpoints(file, checkpoints);
  const stopping = new AbortController();
  /** Undefined at first, after an error, and after a shard has ended: the next read lists the shards. */
  let shards: Shard[] | undefined;
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await readAll(consumer).catch((error) => {
        shards = undefined;
        logReadError(error);
      });
      await sleep(pollIntervalMs);
    }
  })();

  async function readAll(consume: Consumer): Promise<void> {
    shards ??= (await client.send(new DescribeStreamCommand({ StreamArn }))).StreamDescription?.Shards;
    for (const shard of shards ?? []) while (await readBatch(shard, consume)) if (stopping.signal.aborted) return;
  }

  /** Returns false without records, or if the first one failed. */
  async function readBatch({ ShardId = '' }: Shard, consume: Consumer): Promise<boolean> {
    const after = checkpoints[ShardId];
    const from = after
      ? { SequenceNumber: after, ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const }
      : { ShardIteratorType: 'TRIM_HORIZON' as const };
    const { ShardIterator } = await client.send(new GetShardIteratorCommand({ StreamArn, ShardId, ...from }));
    const command = new GetRecordsCommand({ ShardIterator, Limit: BATCH_SIZE });
    const { Records = [], NextShardIterator } = await client.send(command);
    if (!NextShardIterator) shards = undefined;
    const last = await deliver(Records.map(restoreEmptyMaps), consume);
    if (last === undefined) return false;
    checkpoints[ShardId] = last;
    if (file) storeCheckpoints(file, checkpoints);
    return true;
  }

  return {
    readCheckpoints: () => checkpoints,
    async stop() {
      stopping.abort();
      await done;
      client.destroy();
    },
  };
}

function createClient(): DynamoDBStreamsClient {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB_STREAMS ?? process.env.AWS_ENDPOINT_URL_DYNAMODB;
  return new DynamoDBStreamsClient(endpoint ? { endpoint } : {});
}

/**
 * Also returns false for an expired record: a consumer that reads from the start of the stream then continues after it.
 */
export async function isInStream(StreamArn: string, ShardId: string, SequenceNumber: string): Promise<boolean> {
  const client = createClient();
  try {
    const at = { StreamArn, ShardId, SequenceNumber, ShardIteratorType: 'AT_SEQUENCE_NUMBER' as const };
    const { ShardIterator } = await client.send(new GetShardIteratorCommand(at));
    const { Records = [] } = await client.send(new GetRecordsCommand({ ShardIterator, Limit: 1 }));
    return Records[0]?.dynamodb?.SequenceNumber === SequenceNumber;
  } catch (error) {
    // DynamoDB rejects an unknown shard or sequence number.
    if (error instanceof DynamoDBStreamsServiceException && error.$fault === 'client') return false;
    throw error;
  } finally {
    client.destroy();
  }
}

function restoreEmptyMaps({ dynamodb, ...record }: StreamRecord): StreamRecord {
  const { NewImage, OldImage } = dynamodb ?? {};
  const images = { NewImage: NewImage && restoreAll(NewImage), OldImage: OldImage && restoreAll(OldImage) };
  return { ...record, ...(dynamodb ? { dynamodb: { ...dynamodb, ...images } } : {}) };
}

const restoreAll = (values: Record<string, AttributeValue>): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, restore(value)]));

/** DynamoDB Local omits the value of empty maps. */
function restore(value: AttributeValue): AttributeValue {
  if (value.M) return { M: restoreAll(value.M) };
  if (value.L) return { L: value.L.map(restore) };
  return Object.keys(value).length === 0 ? { M: {} } : value;
}

const logReadError = (error: Error) =>
  console.error({ event: 'stream-read-failed', error: { name: error.name, message: error.message } });

/** Returns the sequence number of the last consumed record, or undefined if the first one failed. */
async function deliver(records: StreamRecord[], consumer: Consumer): Promise<string | undefined> {
  if (records.length === 0) return undefined;
  const { batchItemFailures } = await consumer({ Records: records } as never);
  const failed = batchItemFailures[0]?.itemIdentifier;
  const consumed =
    failed === undefined ? records.length : records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed);
  return records[consumed - 1]?.dynamodb?.SequenceNumber;
}
