import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';

test('each request carries the User-Agent of the SDK', async () => {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    received.push(headers);
    response.end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { table } = await import('../../../lib/dynamodb/client.ts');
    for (let times = 0; times < 3; times++)
      await table.send(new GetCommand({ TableName: 'users', Key: { pk: 'a', sk: 'b' } }));
    await new DynamoDBClient().send(new GetItemCommand({ TableName: 'users', Key: { pk: { S: 'a' } } }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const [first, ...others] = received.map((headers) => headers['x-amz-user-agent']);
  expect(first).toMatch(/^aws-sdk-js\/3\.\d+\.\d+/);
  expect(others).toEqual([first, first, first]);
  for (const headers of received) expect(headers['user-agent']).toContain('api/dynamodb#');
});
