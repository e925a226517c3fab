import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { startFaultProxy } from '../../setup/proxy.ts';

const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', () => 'hold');
afterAll(() => proxy.stop());

// The client reads the environment on import.
process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
// Only the deadline ends the request.
process.env.ATTEMPT_TIME_LIMIT_MS = '300000';
const { table, TableName } = await import('../../../lib/dynamodb/client.ts');
const { withDeadline } = await import('../../../lib/dynamodb/requests.ts');

test('a request without an answer fails at the deadline with SERVICE_UNAVAILABLE and is not retried', async () => {
  const read = () => table.send(new GetCommand({ TableName, Key: { pk: 'a', sk: 'a' } }));
  await expect(withDeadline(100, read)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    $metadata: { attempts: 1 },
  });
});
