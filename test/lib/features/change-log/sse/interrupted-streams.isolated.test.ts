import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, expect, test, vi } from 'vitest';
import { table } from '../../../../../lib/dynamodb/client.ts';
import { requestSubscription } from './sse-client.ts';

afterEach(() => void vi.restoreAllMocks());

const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException', $metadata: {} });
const fault = new TypeError('no entry');
/** Fails eventually consistent queries, which only the polls of open streams send. */
function failPolls(error: Error) {
  const database = mockClient(table);
  return database.resolves({ Items: [] }).on(QueryCommand, { ConsistentRead: false }).rejects(error);
}

test('an internal error ends a stream without `complete` and is logged', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  const database = failPolls(fault);
  const { status, body } = await requestSubscription('subscription { userChanged { id } }');
  expect([status, String(Buffer.concat(await body.toArray()))]).toEqual([200, ':\n\n']);
  expect(logged.mock.calls.flat()).toEqual([
    expect.objectContaining({ event: 'internal-error', stream: 'interrupted' }),
  ]);
  database.restore();
});

test('a throttled read delays a stream and is logged', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const database = failPolls(throttled);
  const { status, body, disconnect } = await requestSubscription('subscription { userChanged { id } }');
  expect(status).toBe(200);
  await vi.waitFor(() => expect(warn).toHaveBeenCalledWith({ event: 'unavailable', stream: 'delayed' }), 60_000);
  expect(body.readableEnded).toBe(false);
  await disconnect();
  database.restore();
});

test('an internal error before a stream starts is masked and logged', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  const database = mockClient(table);
  database.rejects(fault);
  const id = '01890000-0000-7000-8000-000000000000';
  const { status, json } = await requestSubscription('subscription ($id: ID) { userChanged(id: $id) { id } }', { id });
  expect([status, json?.errors]).toMatchObject([
    500,
    [{ message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
  ]);
  expect(logged.mock.calls).toMatchObject([[{ event: 'internal-error', error: { message: fault.message } }]]);
  database.restore();
});
