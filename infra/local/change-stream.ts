import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import * as z from 'zod/mini';

export type Consumer = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
/** `name` is that of the file of checkpoints: each consumer has its own. */
export type StreamOptions = { folder?: string | undefined; name?: string; pollIntervalMs?: number };

/** The last sequence number that was consumed of each shard. */
export type Checkpoints = Record<string, string>;
export type StreamFollower = { readCheckpoints(): Checkpoints; stop(): Promise<void> };

const storedCheckpoints = z.record(z.string(), z.string());

const BATCH_SIZE = 100;

/**
 * Delivers a table's stream as Lambda's event source mapping does: in order, one batch at a time, again from the first
 * record that failed. Checkpoints are kept in `folder`, or in memory, so that a restart continues where it stopped.
 */
export async function followStream(
  StreamArn: string,
  consumer: Consumer,
  { folder, name = 'stream', pollIntervalMs = 150 }: StreamOptions = {},
): Promise<StreamFollower> {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB_STREAMS ?? process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const client = new DynamoDBStreamsClient(endpoint ? { endpoint } : {});
  const checkpoints = openCheckpoints(folder && getFile(folder, name));
  const stopping = new AbortController();
  /** They are not known at first, and once one has ended, as there are others then. */
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

  /** Returns whether there may be more records. */
  async function readBatch({ ShardId = '' }: Shard, consume: Consumer): Promise<boolean> {
    const after = checkpoints.read(ShardId);
    const from = after
      ? { SequenceNumber: after, ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const }
      : { ShardIteratorType: 'TRIM_HORIZON' as const };
    const { ShardIterator } = await client.send(new GetShardIteratorCommand({ StreamArn, ShardId, ...from }));
    const command = new GetRecordsCommand({ ShardIterator, Limit: BATCH_SIZE });
    const { Records = [], NextShardIterator } = await client.send(command);
    if (!NextShardIterator) shards = undefined;
    const last = await deliver(Records.map(restoreEmptyMaps), consume);
    if (last) checkpoints.write(ShardId, last);
    return last !== undefined;
  }

  return {
    readCheckpoints: checkpoints.readAll,
    async stop() {
      stopping.abort();
      await done;
      client.destroy();
    },
  };
}

function restoreEmptyMaps({ dynamodb, ...record }: StreamRecord): StreamRecord {
  const { NewImage, OldImage } = dynamodb ?? {};
  const images = { NewImage: NewImage && restoreAll(NewImage), OldImage: OldImage && restoreAll(OldImage) };
  return { ...record, ...(dynamodb ? { dynamodb: { ...dynamodb, ...images } } : {}) };
}

const restoreAll = (values: Record<string, AttributeValue>): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, restore(value)]));

/** DynamoDB Local leaves the value of an empty map out, such as the own fields of a user who has none any more, also in lists and other maps. */
function restore(value: AttributeValue): AttributeValue {
  if (value.M) return { M: restoreAll(value.M) };
  if (value.L) return { L: value.L.map(restore) };
  return Object.keys(value).length === 0 ? { M: {} } : value;
}

const logReadError = (error: Error) =>
  console.error({ event: 'stream-read-failed', error: { name: error.name, message: error.message } });

/** Returns the sequence number of the last record consumed; undefined if the first one failed. */
async function deliver(records: StreamRecord[], consumer: Consumer): Promise<string | undefined> {
  if (records.length === 0) return undefined;
  const { batchItemFailures } = await consumer({ Records: records } as never);
  const failed = batchItemFailures[0]?.itemIdentifier;
  const consumed =
    failed === undefined ? records.length : records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed);
  return records[consumed - 1]?.dynamodb?.SequenceNumber;
}

function openCheckpoints(file: string | undefined) {
  const checkpoints = file ? load(file) : {};
  const save = () => {
    if (!file) return;
    // The file is written, then renamed: a crash leaves the old file or the new one, never a partial one.
    writeFileSync(`${file}.new`, JSON.stringify(checkpoints));
    renameSync(`${file}.new`, file);
  };
  // From now on, records are kept for this consumer.
  save();
  return {
    read: (shard: string) => checkpoints[shard],
    readAll: () => checkpoints,
    write(shard: string, sequence: string) {
      checkpoints[shard] = sequence;
      save();
    },
  };
}

const getFile = (folder: string, name: string) => join(folder, `${name}.json`);

/** Returns the checkpoints of a consumer that does not run now; undefined if it never has. */
export function readStoredCheckpoints(folder: string, name: string): Checkpoints | undefined {
  const file = getFile(folder, name);
  return existsSync(file) ? load(file) : undefined;
}

function load(file: string): Checkpoints {
  try {
    return storedCheckpoints.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // There are no checkpoints yet. Reading from the start of the stream is safe, as consumers are idempotent.
    return {};
  }
}
