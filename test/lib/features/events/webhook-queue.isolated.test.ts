import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newEvent, startReceiver, verify } from './webhook-requests.ts';

const FIRST = 'A1b2C3d4E5f6A1b2C3d4E5f6A1b2C3d4E5f6A1b2C3d4';
const SECOND = `whsec_${Buffer.alloc(32, 'second').toString('base64')}`;

/** Values of the secret by version stage, or the error code of its read. */
let secrets: Record<string, string> | { error: string } = {};
let secretReads = 0;
type Change = { QueueUrl: string; ReceiptHandle: string; VisibilityTimeout: number };
let changes: Change[] = [];
let queueError: string | undefined;

const aws = createServer(async (request, response) => {
  const input = JSON.parse(Buffer.concat(await request.toArray()).toString());
  const fail = (type: string) => response.writeHead(400).end(JSON.stringify({ __type: type, message: type }));
  if (request.headers['x-amz-target'] === 'AmazonSQS.ChangeMessageVisibility') {
    if (queueError) return fail(queueError);
    changes.push(input);
    return response.end('{}');
  }
  expect(request.headers['x-amz-target']).toBe('secretsmanager.GetSecretValue');
  expect(input.SecretId).toBe(process.env.WEBHOOK_SECRET_ARN);
  secretReads++;
  if ('error' in secrets && secrets.error) return fail(secrets.error);
  const SecretString = Object(secrets)[input.VersionStage];
  return SecretString ? response.end(JSON.stringify({ SecretString })) : fail('ResourceNotFoundException');
});
await once(aws.listen(0, '127.0.0.1'), 'listening');
const receiver = await startReceiver();
const endpoint = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
Object.assign(process.env, {
  AWS_ENDPOINT_URL_SQS: endpoint,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
  WEBHOOK_URL: receiver.url,
  WEBHOOK_SECRET_ARN: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:webhook',
  WEBHOOK_QUEUE_URL: `${endpoint}/123456789012/webhook`,
});

const warn = vi.spyOn(console, 'warn').mockReturnValue();
const error = vi.spyOn(console, 'error').mockReturnValue();
/** Each test loads the function again, so that no secret is cached. */
let post: (event: SQSEvent) => Promise<unknown>;
let environment: typeof import('../../../../lib/environment.ts').environment;
beforeEach(async () => {
  secrets = { AWSCURRENT: FIRST };
  [secretReads, changes, queueError] = [0, [], undefined];
  vi.resetModules();
  const { postBatch } = await import('../../../../lib/features/events/webhook-queue.ts');
  post = postBatch;
  ({ environment } = await import('../../../../lib/environment.ts'));
});
afterEach(() => {
  vi.clearAllMocks();
  receiver.reset();
});
afterAll(() => {
  receiver.stop();
  aws.close();
  aws.closeAllConnections();
  vi.restoreAllMocks();
});

const newBatch = (ids: string[], attempt = 1): SQSEvent => ({
  Records: ids.map((id) => newMessage(id, JSON.stringify({ 'detail-type': 'x', detail: newEvent(id) }), attempt)),
});
const newMessage = (id: string, body: string, attempt = 1): SQSEvent['Records'][number] => ({
  ...{ messageId: `message ${id}`, receiptHandle: `receipt ${id}`, body, messageAttributes: {}, md5OfBody: '' },
  ...{ eventSource: 'aws:sqs', eventSourceARN: 'arn', awsRegion: 'eu-west-1' },
  attributes: {
    ...{ ApproximateReceiveCount: String(attempt), SentTimestamp: '0', SenderId: 'x' },
    ApproximateFirstReceiveTimestamp: '0',
  },
});
const failed = (...ids: string[]) => ({ batchItemFailures: ids.map((id) => ({ itemIdentifier: `message ${id}` })) });
const logs = () => JSON.stringify([warn.mock.calls, error.mock.calls]);

test('an event is POSTed without its envelope, and a receiver can verify its signature', async () => {
  expect(await post(newBatch(['epoch#USER#ada/1']))).toEqual(failed());
  const [request] = receiver.received;
  if (!request) return expect.fail('no request');
  expect(JSON.parse(request.body)).toEqual(newEvent('epoch#USER#ada/1'));
  expect(request.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'epoch#USER#ada/1' });
  expect(verify(request, `whsec_${FIRST}`)).toBe(true);
  expect(verify({ ...request, body: request.body.replace('Ada', 'Eve') }, `whsec_${FIRST}`)).toBe(false);
  expect(verify(request, SECOND)).toBe(false);
  expect(changes).toEqual([]);
});

test.each([
  ['500', { status: 500 }],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
  ['404', { status: 404 }],
  ['410', { status: 410 }],
] as const)('an event answered with %s stays in the queue, hidden until its next attempt', async (_, answer) => {
  receiver.answer = () => answer;
  for (const [attempt, base] of [
    [1, 5],
    [4, 40],
    [30, 3_600],
  ] as const) {
    expect(await post(newBatch(['1'], attempt))).toEqual(failed('1'));
    const change = changes.pop();
    expect(change).toMatchObject({ QueueUrl: process.env.WEBHOOK_QUEUE_URL, ReceiptHandle: 'receipt 1' });
    expect(change?.VisibilityTimeout).toBeGreaterThanOrEqual(base);
    expect(change?.VisibilityTimeout).toBeLessThanOrEqual(base * 1.25 + 1);
  }
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook']);
  expect(warn).toHaveBeenLastCalledWith({
    ...{ event: 'webhook-failed', id: '1', type: 'user.created', reason: `status ${answer.status}`, attempt: 30 },
  });
  expect(logs()).not.toMatch(/Ada|"ada"/);
});

test("the attempts of an event last more than a day, and less than the queue's retention", async () => {
  const { choosePause, MAX_ATTEMPTS } = await import('../../../../lib/features/events/webhook-retries.ts');
  const sum = (random: number) => {
    environment.random = () => random;
    return Array.from({ length: MAX_ATTEMPTS - 1 }, (_, at) => choosePause(at + 1)).reduce((a, b) => a + b);
  };
  expect(sum(0)).toBeGreaterThan(86_400);
  expect(sum(1)).toBeLessThan(2 * 86_400);
});

test.each([
  ['120', 120],
  ['999999', 3_600],
])('Retry-After: %s hides an event for %d seconds', async (retryAfter, seconds) => {
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': retryAfter } });
  await post(newBatch(['1']));
  expect(changes).toMatchObject([{ VisibilityTimeout: seconds }]);
});

test.each(['0', 'Fri, 31 Dec 1999 23:59:59 GMT', 'soon'])('Retry-After: %s shortens no pause', async (retryAfter) => {
  receiver.answer = () => ({ status: 429, headers: { 'retry-after': retryAfter } });
  await post(newBatch(['1'], 5));
  expect(changes[0]?.VisibilityTimeout).toBeGreaterThanOrEqual(80);
});

test('a receiver that never answers fails after the time limit', async () => {
  const limits: number[] = [];
  environment.timeout = (ms) => {
    limits.push(ms);
    return AbortSignal.timeout(50);
  };
  receiver.answer = () => 'none';
  expect(await post(newBatch(['1']))).toEqual(failed('1'));
  expect(limits).toEqual([15_000]);
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ reason: 'TimeoutError' }));
  expect(changes).toHaveLength(1);
});

test('a failed event does not delay the others of its batch', async () => {
  receiver.answer = ({ id }) => ({ status: id === '3' ? 500 : 204 });
  expect(await post(newBatch(['1', '2', '3', '4', '5']))).toEqual(failed('3'));
  expect(receiver.received).toHaveLength(5);
  expect(changes).toMatchObject([{ ReceiptHandle: 'receipt 3' }]);
  expect(secretReads).toBe(2);
});

test.each([
  ['too short', { AWSCURRENT: 'abc' }, 'Invalid webhook secret, version AWSCURRENT'],
  [
    'no base64',
    { AWSCURRENT: '{"secret":"s3cr3t-s3cr3t-s3cr3t-s3cr3t"}' },
    'Invalid webhook secret, version AWSCURRENT',
  ],
  ['gone', {}, 'no current version'],
  ['denied', { error: 'AccessDeniedException' }, 'AccessDeniedException'],
])('with a secret that is %s, nothing is sent and events stay in the queue', async (_, given, message) => {
  secrets = given;
  expect(await post(newBatch(['1', '2']))).toEqual(failed('1', '2'));
  expect(receiver.received).toEqual([]);
  expect(changes).toHaveLength(2);
  expect(error).toHaveBeenCalledTimes(2);
  expect(logs()).toContain(message);
  expect(logs()).not.toContain('s3cr3t');
});

test('during a rotation, receivers can verify with the former and the new secret, even if Lambda was suspended', async () => {
  await post(newBatch(['1']));
  secrets = { AWSCURRENT: SECOND, AWSPREVIOUS: FIRST };
  await post(newBatch(['2']));
  expect(secretReads).toBe(2);
  environment.now = () => Date.now() + 300_000;
  await post(newBatch(['3']));
  const verified = receiver.received.map((request) => [`whsec_${FIRST}`, SECOND].map((key) => verify(request, key)));
  expect(verified).toEqual([
    [true, false],
    [true, false],
    [true, true],
  ]);
});

test('a cached secret stays in use if it cannot be read again', async () => {
  await post(newBatch(['1']));
  secrets = { error: 'InternalServiceError' };
  environment.now = () => Date.now() + 300_000;
  const readBefore = secretReads;
  expect(await post(newBatch(['2']))).toEqual(failed());
  expect(receiver.received.map((request) => verify(request, `whsec_${FIRST}`))).toEqual([true, true]);
  expect(secretReads).toBeGreaterThan(readBefore);
  expect(logs()).toContain('"secret":"kept"');
});

test.each(['Ada Lovelace', '{"detail":{"name":"Ada Lovelace"}}'])(
  'an invalid message fails, and no log quotes it: %s',
  async (body) => {
    expect(await post({ Records: [newMessage('1', body)] })).toEqual(failed('1'));
    expect(receiver.received).toEqual([]);
    expect(logs()).toContain('Invalid message: expected an EventBridge event');
    expect(logs()).not.toContain('Lovelace');
  },
);

test('an event stays in the queue if SQS rejects its pause', async () => {
  queueError = 'AccessDenied';
  receiver.answer = () => ({ status: 500 });
  expect(await post(newBatch(['1']))).toEqual(failed('1'));
});
