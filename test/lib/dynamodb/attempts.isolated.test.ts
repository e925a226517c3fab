import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { type Fault, startFaultProxy } from '../../setup/proxy.ts';

const faults: Fault[] = ['hold', 'throttle'];
const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', () => faults.shift());
afterAll(() => proxy.stop());

// The client reads the environment on import.
process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
process.env.ATTEMPT_TIME_LIMIT_MS = '200';
const { table, TableName } = await import('../../../lib/dynamodb/client.ts');

test('a request without an answer is sent again after the time limit of an attempt, and so is a throttled one', async () => {
  const { $metadata } = await table.send(new GetCommand({ TableName, Key: { pk: 'a', sk: 'a' } }));
  expect($metadata).toMatchObject({ httpStatusCode: 200, attempts: 3 });
  expect(faults).toEqual([]);
});
