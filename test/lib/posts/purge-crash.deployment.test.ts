import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { enableStream } from '../../../infra/local/table.ts';
import { TableName } from '../../../lib/dynamodb/client.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { findUser } from '../../../lib/users/get.ts';
import { createUser } from '../../setup/create-user.ts';
import { startLocalService } from '../../setup/local-service.ts';
import { startFaultProxy } from '../../setup/proxy.ts';
import { countPosts, createPosts } from './posts.ts';

let proxy: Awaited<ReturnType<typeof startFaultProxy>> | undefined;
afterEach(() => proxy?.stop());

async function createAuthor(posts: number): Promise<string> {
  const { id } = await createUser({ name: 'Author', email: `${crypto.randomUUID()}@example.com` });
  await createPosts(id, posts);
  return id;
}

test('a consumer that is killed during a purge and started again leaves no post of the author, and all others', async () => {
  const [author, other] = [await createAuthor(130), await createAuthor(3)];
  await enableStream(TableName);
  await deleteUser({ id: author }, 'test');

  let deletes = 0;
  proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', (operation) => {
    if (operation === 'BatchWriteItem' && ++deletes === 5) service?.process.kill('SIGKILL');
    return undefined;
  });
  const environment = {
    TABLE_NAME: TableName,
    AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
    AWS_REGION: process.env.AWS_REGION ?? '',
    AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? '',
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? '',
  };
  let service: Awaited<ReturnType<typeof startLocalService>> | undefined;
  service = await startLocalService([], environment);
  if (service.process.exitCode === null && service.process.signalCode === null) await once(service.process, 'close');
  expect(await countPosts(author)).toBeGreaterThan(0);

  const restarted = await startLocalService([], environment);
  await vi.waitFor(async () => expect(await countPosts(author)).toBe(0), { timeout: 120_000, interval: 100 });
  await restarted.stop();
  expect(await countPosts(other)).toBe(3);
  expect(await findUser(other)).toBeDefined();
});
