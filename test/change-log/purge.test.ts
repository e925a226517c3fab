import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import { userKey } from '../../lib/dynamodb/keys.ts';
import { createPost } from '../../lib/posts/create.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { createUser } from '../../lib/users/create.ts';
import { deleteUser } from '../../lib/users/delete.ts';
import { findUser } from '../../lib/users/get.ts';
import { startLocalService } from '../setup/local-service.ts';

let proxy: Server | undefined;
afterEach(() => proxy?.close().closeAllConnections());

const anonymous = 'anonymous';

async function countPosts(userId: string): Promise<number> {
  const { Count = 0 } = await table.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
      ExpressionAttributeValues: { ':pk': userKey(userId).pk, ':post': 'POST#' },
      Select: 'COUNT',
      ConsistentRead: true,
    }),
  );
  return Count;
}

async function authorOf(posts: number): Promise<string> {
  const { id } = await createUser({ name: 'Author', email: `${crypto.randomUUID()}@example.com` });
  for (let at = 0; at < posts; at++) await createPost({ authorId: id, title: `Post ${at}` }, anonymous);
  return id;
}

/** The database, behind a door that says which operations come through. */
async function watchedDatabase(onOperation: (name: string) => void): Promise<string> {
  const database = new URL(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    onOperation(String(headers['x-amz-target']).split('.')[1] ?? '');
    const onward = request(new URL(url ?? '/', database), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test('a consumer killed while it purges 500 posts and started again leaves none, and touches nothing else', {
  timeout: 60_000,
}, async () => {
  const [author, other] = [await authorOf(500), await authorOf(3)];
  await deleteUser({ id: author });

  let purges = 0;
  const endpoint = await watchedDatabase((name) => {
    if (name === 'BatchWriteItem' && ++purges === 8) service?.process.kill('SIGKILL');
  });
  const environment = {
    TABLE_NAME: TableName,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  let service: Awaited<ReturnType<typeof startLocalService>> | undefined;
  service = await startLocalService([], environment);
  await once(service.process, 'close');
  const left = await countPosts(author);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(500);

  const restarted = await startLocalService([], environment);
  await vi.waitFor(async () => expect(await countPosts(author)).toBe(0), { timeout: 20_000, interval: 200 });
  await restarted.stop();
  expect(await countPosts(other)).toBe(3);
  expect(await findUser(other)).toBeDefined();
});
