import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, expect, test, vi } from 'vitest';
import { table } from '../../../lib/dynamodb/client.ts';
import { requestSubscription } from './sse-client.ts';

afterEach(() => void vi.restoreAllMocks());

const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException', $metadata: {} });
const fault = new TypeError('no entry');
const details = { stream: 'interrupted' };

test.each([
  ['a throttled read', throttled, [{ event: 'unavailable', ...details }], []],
  ['a fault', fault, [], [expect.objectContaining({ event: 'internal-error', ...details })]],
])('%s ends a stream without `complete`, and is logged as what it is', async (_, error, warnings, errors) => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  const database = mockClient(table);
  database.resolves({}).on(QueryCommand, { KeyConditionExpression: 'pk = :pk AND sk > :watermark' }).rejects(error);
  const { status, body } = await requestSubscription('subscription { userChanged { id } }');
  expect([status, String(Buffer.concat(await body.toArray()))]).toEqual([200, ':\n\n']);
  expect(warn.mock.calls.flat()).toEqual(warnings);
  expect(logged.mock.calls.flat()).toEqual(errors);
  database.restore();
});

test('a fault before a stream starts is masked and logged', async () => {
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
