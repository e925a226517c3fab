import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { aws } from './aws-cli.ts';
import { abortOnSignal, type Parsed, rejectArguments, runCommand } from './command.ts';

const HELP = `npm run redrive -- --queue URL --function NAME [--bus NAME]
Sends the records in a dead-letter queue to their consumer again, until the queue
is empty. Uses the AWS CLI, with its credentials and region. Exits with 1 if a message remains.

  --queue URL      the dead-letter queue
  --function NAME  the function that consumes the records, such as "$ON_CHANGE" of infra/resources.sh. Messages of other
                   functions stay in the queue
  --bus NAME       the event bus, for events that it accepted but could not decrypt
  --help`;

const options = {
  queue: { type: 'string' },
  function: { type: 'string' },
  bus: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

type StreamRecord = { dynamodb: { SequenceNumber: string } };

/** Without `endSequenceNumber`: all records after the start. A consumer's own dead letters lack `shardId`. */
type Batch = { streamArn: string; shardId?: string; startSequenceNumber: string; endSequenceNumber?: string };
/**
 * Lambda names the function in `requestContext`, a consumer's own dead letters (lib/on-change/dead-letters.ts) in
 * `consumer`. https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
type DeadLetter = { DDBStreamBatchInfo?: Batch; consumer?: string; requestContext?: { functionArn?: string } };
type BusEvent = { source: string; 'detail-type': string; time: string; detail: object };
type Message = { Body: string; ReceiptHandle: string };

type Settings = { queue: string; consumer: string; bus: string | undefined };

const BATCH_SIZE = 100;
/** Hides a message from other receivers, and from this command after a failure. `show` ends it. */
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
  const { queue } = settings;
  const left: Message[] = [];
  let done = 0;
  const signal = abortOnSignal();
  try {
    for await (const message of receive(queue)) {
      const problem = await redriveMessage(message, settings).catch((error) => (error as Error).message);
      if (problem) {
        console.error(problem);
        left.push(message);
      } else done++;
      if (signal.aborted) throw new Error('Stopped before the end of the queue');
    }
  } finally {
    console.log(`${done} messages redriven, ${left.length} left`);
    await show(queue, left);
  }
  if (left.length > 0) process.exitCode = 1;
}

/** Receives one message at a time, so that a command that stops hides no others. */
async function* receive(queue: string): AsyncGenerator<Message> {
  // Waiting asks all servers of the queue. Otherwise SQS asks only some of them, and may miss messages.
  const limits = { 'max-number-of-messages': 1, 'wait-time-seconds': 10, 'visibility-timeout': HIDDEN_SECONDS };
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

/** Lets the next command receive the messages at once. */
async function show(queue: string, messages: Message[]): Promise<void> {
  for (const { ReceiptHandle } of messages) {
    const message = ['--queue-url', queue, '--receipt-handle', ReceiptHandle];
    await aws('sqs', 'change-message-visibility', ...message, '--visibility-timeout', '0');
  }
}

/** Returns why the message stays in the queue, or undefined after its deletion. */
async function redriveMessage({ Body, ReceiptHandle }: Message, settings: Settings): Promise<string | undefined> {
  const message = parseMessage(Body);
  if (!message) return 'Unknown message: it is not a JSON object';
  const problem = 'detail' in message ? await redriveEvent(message, settings) : await redriveLetter(message, settings);
  if (problem) return problem;
  await aws('sqs', 'delete-message', '--queue-url', settings.queue, '--receipt-handle', ReceiptHandle);
  return undefined;
}

function parseMessage(body: string): DeadLetter | BusEvent | undefined {
  try {
    const message = JSON.parse(body);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}

async function redriveEvent(event: BusEvent, { bus }: Settings): Promise<string | undefined> {
  if (!bus) return 'The queue contains an event of the bus: pass the bus with --bus';
  // infra/construct/event-publisher.ts: the source of events contains the name of the bus.
  if (event.source !== `user-management/${bus.replace(/^.*\//, '')}`)
    return `The event of ${event.source} does not belong to the bus ${bus}`;
  return putEvent(event, bus);
}

async function redriveLetter(letter: DeadLetter, { consumer }: Settings): Promise<string | undefined> {
  const batch = letter.DDBStreamBatchInfo;
  if (!batch) return 'Unknown message: it refers to no stream records';
  const named = letter.consumer ?? letter.requestContext?.functionArn;
  if (!named) return `The records from ${batch.startSequenceNumber} on name no consumer`;
  // Another consumer would skip these records, and report success.
  if (findName(named) !== findName(consumer))
    return `The records from ${batch.startSequenceNumber} on belong to the function ${findName(named)}, not to ${findName(consumer)}: pass it with --function`;
  return redriveBatch(batch, consumer);
}

/** Returns the function's name from a name or an ARN, without a version. */
function findName(functionName: string): string {
  return functionName.replace(/^.*\bfunction:/, '').replace(/:.*$/, '');
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
