import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test, vi } from 'vitest';
import { type Fault, startFaultProxy } from '../../setup/proxy.ts';

const requests: string[] = [];
let decide = (): Fault => 'hold';
const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', (operation) => {
  requests.push(operation);
  return decide();
});
afterAll(() => proxy.stop());

// The client reads the environment on import.
process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
// Only the deadline ends the request.
process.env.ATTEMPT_TIME_LIMIT_MS = '300000';
const { table, TableName } = await import('../../../lib/dynamodb/client.ts');
const { withDeadline } = await import('../../../lib/dynamodb/requests.ts');
const { environment } = await import('../../../lib/environment.ts');

const read = () => table.send(new GetCommand({ TableName, Key: { pk: 'a', sk: 'a' } }));

test('a request without an answer fails at the deadline with SERVICE_UNAVAILABLE and is not retried', async () => {
  await expect(withDeadline(100, read)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    $metadata: { attempts: 1 },
  });
});

test('a request is not resent when the process continues after an hour, even before the timer of its deadline', async () => {
  const elapsed = vi.spyOn(environment, 'elapsed');
  requests.length = 0;
  decide = () => {
    elapsed.mockImplementation(() => performance.now() + 3_600_000);
    return 'loseRequest';
  };
  await expect(withDeadline(60_000, read)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(requests).toEqual(['GetItem']);
});
