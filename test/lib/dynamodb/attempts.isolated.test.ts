import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { type Fault, startFaultProxy } from '../../setup/proxy.ts';

let faults: Fault[] = [];
const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', () => faults.shift());
afterAll(() => proxy.stop());

// The client reads the environment on import.
process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
process.env.ATTEMPT_TIME_LIMIT_MS = '200';
const { table, TableName } = await import('../../../lib/dynamodb/client.ts');

const read = () => table.send(new GetCommand({ TableName, Key: { pk: 'a', sk: 'a' } }));

test('a request without an answer is sent again after the time limit of an attempt, and so is a throttled one', async () => {
  faults = ['hold', 'throttle'];
  const { $metadata } = await read();
  expect($metadata).toMatchObject({ httpStatusCode: 200, attempts: 3 });
  expect(faults).toEqual([]);
});

// While Lambda has suspended a function, DynamoDB closes its idle connections.
test('a read succeeds after four connections that DynamoDB has closed', async () => {
  faults = Array.from({ length: 4 }, () => 'loseRequest');
  expect((await read()).$metadata).toMatchObject({ httpStatusCode: 200, attempts: 5 });
});
