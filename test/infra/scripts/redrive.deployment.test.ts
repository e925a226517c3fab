import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const STREAM = 'arn:aws:dynamodb:eu-west-1:1:table/users/stream/2026-01-31';

/** Messages of the dead-letter queue, pages of a shard's records, and the consumer's answers. A text is a raw body. */
type Account = {
  messages: (object | string)[];
  pages: number[][];
  answers: object[];
  deleted: string[];
  shown: string[];
  shards: object[];
  invoked: { isRedriven: boolean; Records: { eventSourceARN: string; dynamodb: { SequenceNumber: string } }[] }[];
  put: object[];
  denies?: boolean;
  terminates?: boolean;
};

const AWS_CLI = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require('node:fs');
const file = process.env.ACCOUNT;
const account = JSON.parse(readFileSync(file, 'utf8'));
const [service, operation, ...args] = process.argv.slice(2);
const option = (name) => args[args.indexOf(name) + 1];
const run = {
  // Short polling may miss all messages.
  'receive-message': () => ({ Messages: !args.includes('--wait-time-seconds') ? [] : account.messages.splice(0, Number(option('--max-number-of-messages'))).map((body) => ({ Body: typeof body === 'string' ? body : JSON.stringify(body), ReceiptHandle: 'receipt of ' + (body.DDBStreamBatchInfo?.shardId ?? 'event') })) }),
  'change-message-visibility': () => { account.shown.push(option('--receipt-handle') + ' for ' + option('--visibility-timeout')); },
  'delete-message': () => { if (account.terminates) process.kill(process.ppid); account.deleted.push(option('--receipt-handle')); },
  'describe-stream': () => {
    const after = account.shards.findIndex(({ ShardId }) => ShardId === option('--exclusive-start-shard-id'));
    const [Shards, more] = [account.shards.slice(after + 1, after + 3), account.shards.length > after + 3];
    return { StreamDescription: { Shards, ...(more ? { LastEvaluatedShardId: Shards[1].ShardId } : {}) } };
  },
  'get-shard-iterator': () => {
    if (option('--shard-id') === 'quiet') return { ShardIterator: '1000' };
    if (option('--shard-id') === 'trimmed') throw new Error('TrimmedDataAccessException');
    return { ShardIterator: '0' };
  },
  'get-records': () => {
    const page = Number(option('--shard-iterator'));
    const Records = (account.pages[page] ?? []).map((number) => ({ dynamodb: { SequenceNumber: String(number) } }));
    return { Records, NextShardIterator: String(page + 1) };
  },
  invoke: () => {
    account.invoked.push(JSON.parse(readFileSync(option('--payload').replace('file://', ''), 'utf8')));
    writeFileSync(args.find((each) => each.endsWith('result.json')), JSON.stringify(account.answers.shift() ?? { batchItemFailures: [] }));
    return { StatusCode: 200 };
  },
  'put-events': () => {
    if (account.denies) throw new Error('AccessDeniedException');
    account.put.push(...JSON.parse(readFileSync(option('--entries').replace('file://', ''), 'utf8')));
    return { Entries: [{ EventId: '1' }] };
  },
}[operation];
try {
  const answer = run();
  console.log(answer === undefined ? '' : JSON.stringify(answer));
} catch (error) { console.error(error.message); process.exitCode = 254; }
writeFileSync(file, JSON.stringify(account));
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redrive-test-'));
  writeFileSync(join(folder, 'aws'), AWS_CLI);
  chmodSync(join(folder, 'aws'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

function redrive(given: Partial<Account>, ...args: string[]) {
  return redriveTo('on-change', given, ...args);
}

function redriveTo(consumer: string, given: Partial<Account>, ...args: string[]) {
  const file = join(folder, 'account.json');
  const empty: Account = {
    messages: [],
    pages: [],
    answers: [],
    deleted: [],
    shown: [],
    shards: [],
    invoked: [],
    put: [],
  };
  writeFileSync(file, JSON.stringify({ ...empty, ...given }));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['infra/scripts/redrive.ts', '--queue', 'https://queue', '--function', consumer, ...args],
    {
      encoding: 'utf8',
      env: { ...process.env, ACCOUNT: file, PATH: `${folder}${delimiter}${process.env.PATH}` },
    },
  );
  const account: Account = JSON.parse(readFileSync(file, 'utf8'));
  const sent = account.invoked.map(({ Records }) => Records.map(({ dynamodb }) => Number(dynamodb.SequenceNumber)));
  return { status, stdout: stdout.trim(), stderr, account, sent };
}

const ARN = 'arn:aws:lambda:eu-west-1:1:function:';

const letter = (shardId: string | undefined, start: number, end?: number) => ({
  // Lambda knows the shard, a consumer does not.
  ...(shardId === undefined ? { consumer: 'on-change' } : { requestContext: { functionArn: `${ARN}on-change` } }),
  DDBStreamBatchInfo: {
    ...{ streamArn: STREAM, startSequenceNumber: String(start) },
    ...(shardId === undefined ? {} : { shardId }),
    ...(end === undefined ? {} : { endSequenceNumber: String(end) }),
  },
});
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('all records of a message are sent to the consumer in batches, with the ARN of their stream', () => {
  const { status, stdout, stderr, account, sent } = redrive({
    messages: [letter('one', 1, 240)],
    pages: [range(1, 150), [], range(151, 300)],
  });
  expect([status, stdout, stderr]).toEqual([0, '1 messages redriven, 0 left', '']);
  expect(sent).toEqual([range(1, 100), range(101, 150), range(151, 240)]);
  expect(new Set(account.invoked.flatMap(({ Records }) => Records.map((each) => each.eventSourceARN)))).toEqual(
    new Set([STREAM]),
  );
  expect(account.deleted).toEqual(['receipt of one']);
});

const shard = (ShardId: string, start: number, end?: number) => ({
  ShardId,
  SequenceNumberRange: {
    StartingSequenceNumber: String(start),
    ...(end === undefined ? {} : { EndingSequenceNumber: String(end) }),
  },
});

test('a record without a shard is found by searching the shards, and sent with isRedriven', () => {
  const shards = [
    shard('earlier', 1, 9),
    shard('trimmed', 1),
    shard('quiet', 5),
    shard('later', 20),
    shard('right', 10),
  ];
  const { status, stderr, account, sent } = redrive({
    messages: [letter(undefined, 12, 12)],
    pages: [range(10, 30)],
    shards,
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(sent).toEqual([[12]]);
  expect(account.invoked.map(({ isRedriven }) => isRedriven)).toEqual([true]);
  expect(redrive({ messages: [letter(undefined, 12, 12)], pages: [[10, 11, 13]], shards }).stderr).toContain(
    'Record 12 not found in any shard',
  );
});

test.each([
  ['the last one of a closed shard', shard('closed', 10, 12)],
  ['the first one of a shard', shard('open', 12)],
  ['the only one of a shard', shard('short', 12, 12)],
])('a record without a shard is found if it is %s', (_, only) => {
  const shards = [shard('earlier', 1, 11), only, shard('later', 13)];
  const { status, sent } = redrive({ messages: [letter(undefined, 12, 12)], pages: [range(10, 12)], shards });
  expect([status, sent]).toEqual([0, [[12]]]);
});

test('a message stays in the queue if the consumer fails or its records have expired; others are still redriven', () => {
  const { status, stdout, stderr, account } = redrive({
    messages: [letter('bad', 1, 2), letter('trimmed', 1, 2), letter('good', 1, 2)],
    pages: [[1, 2]],
    answers: [{ batchItemFailures: [{ itemIdentifier: '1' }] }],
  });
  expect([status, stdout]).toEqual([1, '1 messages redriven, 2 left']);
  expect(stderr).toContain('on-change did not consume the records from 1 on');
  expect(stderr).toContain('TrimmedDataAccessException');
  expect(account.deleted).toEqual(['receipt of good']);
  expect(account.shown).toEqual(['receipt of bad for 0', 'receipt of trimmed for 0']);
});

test('a message of another function, or of none, stays in the queue', () => {
  const batch = letter('one', 1, 2).DDBStreamBatchInfo;
  const messages = [
    { ...letter('lambda', 1, 2), requestContext: { functionArn: `${ARN}publish-events:$LATEST` } },
    { ...letter(undefined, 1, 2), consumer: 'publish-events' },
    { DDBStreamBatchInfo: batch },
  ];
  const { status, stdout, stderr, account } = redrive({ messages, pages: [[1, 2]] });
  expect([status, stdout]).toEqual([1, '0 messages redriven, 3 left']);
  expect(stderr.match(/belong to the function publish-events, not to on-change/g)).toHaveLength(2);
  expect(stderr).toContain('name no consumer');
  expect([account.invoked, account.deleted]).toEqual([[], []]);
});

test.each([`${ARN}on-change`, `${ARN}on-change:live`, 'on-change:live', '1:function:on-change'])(
  '--function may be %s',
  (name) => {
    const { status, account } = redriveTo(name, { messages: [letter('one', 1, 2)], pages: [[1, 2]] });
    expect([status, account.deleted]).toEqual([0, ['receipt of one']]);
  },
);

test.each(['not JSON', 'null', '1', '{"DDBStreamBatchInfo":'])(
  'the unreadable message %s is left, shown again, and stops no other',
  (body) => {
    const { status, stdout, stderr, account } = redrive({
      messages: [body, letter('one', 1, 2)],
      pages: [[1, 2]],
    });
    expect([status, stdout]).toEqual([1, '1 messages redriven, 1 left']);
    expect(stderr).toBe('Unknown message: it is not a JSON object\n');
    expect(account.deleted).toEqual(['receipt of one']);
    expect(account.shown).toEqual(['receipt of event for 0']);
  },
);

test('after SIGTERM, redrive ends with the current message, and prints a summary', () => {
  const { status, stdout, stderr, account } = redrive({
    messages: ['not JSON', letter('one', 1, 2), letter('two', 1, 2)],
    pages: [[1, 2]],
    terminates: true,
  });
  expect([status, stdout]).toEqual([1, '1 messages redriven, 1 left']);
  expect(stderr).toContain('Not redriven: Stopped before the end of the queue');
  expect([account.shown, account.messages]).toEqual([['receipt of event for 0'], [letter('two', 1, 2)]]);
});

const event = {
  source: 'user-management/users',
  'detail-type': 'user.created',
  time: '2026-01-31T12:00:00Z',
  detail: { id: '1', data: { email: 'ada@example.org' } },
};

test('an event that the bus does not accept is not printed', () => {
  const { status, stderr } = redrive({ messages: [event], denies: true }, '--bus', 'users');
  expect(status).toBe(1);
  expect(stderr).toContain('AccessDeniedException');
  expect(stderr).not.toContain('ada@example.org');
});

test('an event of another bus stays in the queue', () => {
  const { status, stderr, account } = redrive({ messages: [event] }, '--bus', 'users-staging');
  expect([status, account.put, account.deleted]).toEqual([1, [], []]);
  expect(stderr).toContain('The event of user-management/users does not belong to the bus users-staging');
});

test('an event that the bus could not decrypt is put on it again', () => {
  expect(redrive({ messages: [event] }).status).toBe(1);
  const { status, account } = redrive({ messages: [event] }, '--bus', 'users');
  expect(status).toBe(0);
  expect(account.put).toEqual([
    {
      ...{ EventBusName: 'users', Source: event.source, DetailType: 'user.created', Time: event.time },
      Detail: JSON.stringify(event.detail),
    },
  ]);
});
