import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParseArgsOptionsConfig, promisify } from 'node:util';
import { type Parsed, rejectArguments, runCommand } from './command.ts';

const HELP = `npm run redrive -- --queue URL --function NAME [--bus NAME]
Sends the records in a dead-letter queue to their consumer again, until the queue
is empty. Uses the AWS CLI, with its credentials and region. Exits with 1 if a message remains.

  --queue URL      the dead-letter queue
  --function NAME  on-change or publish-events
  --bus NAME       the event bus, for events that it accepted but could not decrypt
  --help`;

const options = {
  queue: { type: 'string' },
  function: { type: 'string' },
  bus: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

type StreamRecord = { dynamodb: { SequenceNumber: string } };

/**
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html. Without `endSequenceNumber`: all records
 * after the start. A consumer's own dead letters lack `shardId`.
 */
type Batch = { streamArn: string; shardId?: string; startSequenceNumber: string; endSequenceNumber?: string };
type BusEvent = { source: string; 'detail-type': string; time: string; detail: object };
type Message = { Body: string; ReceiptHandle: string };

type Settings = { queue: string; consumer: string; bus: string | undefined };

const BATCH_SIZE = 100;
/** Hides a received message from other receivers, and from this command after a failure. */
const HIDDEN_SECONDS = 3_600;
/** Longer than the function's timeout of 60 s. */
const INVOCATION_SECONDS = 70;

await runCommand({ options, help: HELP, failure: 'Not redriven' }, (parsed) => redrive(readSettings(parsed)));

function readSettings({ values, positionals }: Parsed<typeof options>): Settings {
  rejectArguments(positionals, HELP);
  const { queue, function: consumer, bus } = values;
  if (!queue || !consumer) throw new Error(`--queue and --function are required.\n${HELP}`);
  return { queue, consumer, bus };
}

async function redrive(settings: Settings): Promise<void> {
  let [done, left] = [0, 0];
  for await (const { Body, ReceiptHandle } of receive(settings.queue)) {
    const problem = await redriveMessage(JSON.parse(Body), settings).catch((error) => (error as Error).message);
    if (problem) {
      console.error(problem);
      left++;
    } else {
      await aws('sqs', 'delete-message', '--queue-url', settings.queue, '--receipt-handle', ReceiptHandle);
      done++;
    }
  }
  console.log(`${done} messages redriven, ${left} left`);
  if (left > 0) process.exitCode = 1;
}

async function* receive(queue: string): AsyncGenerator<Message> {
  // Waiting asks all servers of the queue. Otherwise SQS asks only some of them, and may miss messages.
  const limits = { 'max-number-of-messages': 10, 'wait-time-seconds': 10, 'visibility-timeout': HIDDEN_SECONDS };
  const options = Object.entries(limits).flatMap(([name, value]) => [`--${name}`, String(value)]);
  for (;;) {
    const { Messages = [] } = await aws<{ Messages?: Message[] }>(
      'sqs',
      'receive-message',
      '--queue-url',
      queue,
      ...options,
    );
    if (Messages.length === 0) return;
    yield* Messages;
  }
}

async function redriveMessage(
  message: { DDBStreamBatchInfo?: Batch } | BusEvent,
  { consumer, bus }: Settings,
): Promise<string | undefined> {
  if ('detail' in message)
    return bus ? putEvent(message, bus) : 'The queue contains an event of the bus: pass the bus with --bus';
  return message.DDBStreamBatchInfo
    ? redriveBatch(message.DDBStreamBatchInfo, consumer)
    : 'Unknown message: it refers to no stream records';
}

async function redriveBatch(batch: Batch, consumer: string): Promise<string | undefined> {
  for await (const records of readRecords(batch))
    for (let at = 0; at < records.length; at += BATCH_SIZE) {
      const Records = records.slice(at, at + BATCH_SIZE).map((each) => ({ ...each, eventSourceARN: batch.streamArn }));
      const result = await invoke(consumer, { Records, isRedriven: true });
      if (result !== 'consumed')
        return `${consumer} did not consume the records from ${batch.startSequenceNumber} on: ${result}`;
    }
  return undefined;
}

function readSequence({ dynamodb }: StreamRecord): bigint {
  return BigInt(dynamodb.SequenceNumber);
}

type Shard = {
  ShardId: string;
  SequenceNumberRange: { StartingSequenceNumber: string; EndingSequenceNumber?: string };
};

/** Ranges of shards may overlap, so several may contain the first record. */
async function listShards({ streamArn, startSequenceNumber }: Batch): Promise<string[]> {
  const number = BigInt(startSequenceNumber);
  const found: string[] = [];
  let last: string | undefined;
  do {
    const after = last === undefined ? [] : ['--exclusive-start-shard-id', last];
    const { StreamDescription } = await aws<{
      StreamDescription: { Shards?: Shard[]; LastEvaluatedShardId?: string };
    }>('dynamodbstreams', 'describe-stream', '--stream-arn', streamArn, ...after);
    for (const { ShardId, SequenceNumberRange: range } of StreamDescription.Shards ?? [])
      if (
        BigInt(range.StartingSequenceNumber) <= number &&
        (range.EndingSequenceNumber === undefined || number <= BigInt(range.EndingSequenceNumber))
      )
        found.push(ShardId);
    last = StreamDescription.LastEvaluatedShardId;
  } while (last !== undefined);
  return found;
}

/** A batch without `shardId` is a single record, which is searched in all possible shards. */
async function* readRecords(batch: Batch): AsyncGenerator<StreamRecord[]> {
  if (batch.shardId) return yield* readShard(batch, batch.shardId);
  for (const shardId of await listShards(batch)) {
    const found = await findRecord(batch, shardId).catch(() => undefined);
    if (found) return yield [found];
  }
  throw new Error(
    `Record ${batch.startSequenceNumber} not found in any shard of ${batch.streamArn}; it may have expired`,
  );
}

/** Maximum pages to search in a shard. Some may be empty, but a record in the shard is found within them. */
const MAX_SEARCHED_PAGES = 20;

async function findRecord(batch: Batch, shardId: string): Promise<StreamRecord | undefined> {
  let pages = 0;
  for await (const records of readShard(batch, shardId)) {
    const found = records.find((record) => readSequence(record) === BigInt(batch.startSequenceNumber));
    if (found || ++pages === MAX_SEARCHED_PAGES) return found;
  }
  return undefined;
}

async function* readShard(
  { streamArn, startSequenceNumber, endSequenceNumber }: Batch,
  shardId: string,
): AsyncGenerator<StreamRecord[]> {
  const from = ['--shard-iterator-type', 'AT_SEQUENCE_NUMBER', '--sequence-number', startSequenceNumber];
  const start = ['--stream-arn', streamArn, '--shard-id', shardId, ...from];
  let { ShardIterator: next } = await aws<{ ShardIterator?: string }>(
    'dynamodbstreams',
    'get-shard-iterator',
    ...start,
  );
  const end = endSequenceNumber === undefined ? undefined : BigInt(endSequenceNumber);
  while (next) {
    const page: { Records?: StreamRecord[]; NextShardIterator?: string } = await aws(
      ...['dynamodbstreams', 'get-records', '--shard-iterator', next],
    );
    const { Records = [] } = page;
    yield end === undefined ? Records : Records.filter((record) => readSequence(record) <= end);
    const isRead = end === undefined ? Records.length === 0 : Records.some((record) => readSequence(record) >= end);
    if (isRead) return;
    next = page.NextShardIterator;
  }
}

/** Returns 'consumed', or the response of a consumer that did not consume all records. */
async function invoke(consumer: string, event: object): Promise<string> {
  return withFile(event, async (file, folder) => {
    const result = join(folder, 'result.json');
    const { FunctionError } = await aws<{ FunctionError?: string }>(
      ...['lambda', 'invoke', '--function-name', consumer, '--cli-binary-format', 'raw-in-base64-out'],
      ...['--cli-read-timeout', String(INVOCATION_SECONDS), '--payload', `file://${file}`, result],
    );
    const answer = await readFile(result, 'utf8');
    return !FunctionError && JSON.parse(answer).batchItemFailures?.length === 0 ? 'consumed' : answer;
  });
}

/** Keeps personal data out of arguments: other users of the machine can read them, and error messages repeat them. */
async function withFile<Result>(content: object, run: (file: string, folder: string) => Promise<Result>) {
  const folder = await mkdtemp(join(tmpdir(), 'redrive-'));
  try {
    const file = join(folder, 'input.json');
    await writeFile(file, JSON.stringify(content));
    return await run(file, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function putEvent(
  { source, time, detail, 'detail-type': DetailType }: BusEvent,
  bus: string,
): Promise<string | undefined> {
  const entry = { EventBusName: bus, Source: source, DetailType, Time: time, Detail: JSON.stringify(detail) };
  const { Entries } = await withFile([entry], (file) =>
    aws<{ Entries: { ErrorCode?: string }[] }>('events', 'put-events', '--entries', `file://${file}`),
  );
  const code = Entries[0]?.ErrorCode;
  return code && `The bus ${bus} answered ${code}`;
}

async function aws<Answer = object>(...args: string[]): Promise<Answer> {
  const { stdout } = await promisify(execFile)('aws', [...args, '--output', 'json'], {
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error) => {
    throw error.code === 'ENOENT' ? new Error('The command aws was not found: install the AWS CLI') : error;
  });
  return JSON.parse(stdout.trim() || '{}');
}
