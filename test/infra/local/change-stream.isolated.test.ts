import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { followStream } from '../../../infra/local/change-stream.ts';
import { enableStream } from '../../../infra/local/table.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { createUser } from '../../setup/create-user.ts';

let proxy: Server | undefined;
afterEach(() => {
  proxy?.close().closeAllConnections();
  vi.unstubAllEnvs();
});

/** Drops connections while `reachable` is false. */
async function startDatabaseProxy() {
  const state = { reachable: true };
  const database = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  proxy = createServer((incoming, outgoing) => {
    if (!state.reachable) return void incoming.socket.destroy();
    const { method, url, headers } = incoming;
    const onward = request(new URL(url ?? '/', database), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(onward.on('error', () => outgoing.destroy()));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB_STREAMS', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  return state;
}

const readEmails = ({ Records }: DynamoDBStreamEvent) =>
  Records.flatMap(({ dynamodb }) => dynamodb?.NewImage?.email?.S ?? []);

test('the stream continues without gaps after the database was unreachable', async () => {
  const state = await startDatabaseProxy();
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  const seen: string[] = [];
  const following = await followStream(await enableStream(TableName), async (event) => {
    seen.push(...readEmails(event));
    return { batchItemFailures: [] };
  });
  await createUser({ name: 'Before', email: 'before@example.com' });
  await vi.waitFor(() => expect(seen).toEqual(['before@example.com']), { timeout: 120_000 });
  state.reachable = false;
  await vi.waitFor(() => expect(logged).toHaveBeenCalled(), { timeout: 120_000 });
  await createUser({ name: 'Meanwhile', email: 'meanwhile@example.com' });
  state.reachable = true;
  await vi.waitFor(() => expect(seen).toEqual(['before@example.com', 'meanwhile@example.com']), { timeout: 120_000 });
  await following.stop();
});

test('a failed record is delivered again before any later record', async () => {
  const seen: string[] = [];
  let failures = 2;
  const following = await followStream(await enableStream(TableName), async (event) => {
    const failing = event.Records.find(({ dynamodb }) => dynamodb?.NewImage?.email?.S === 'hard@example.com');
    if (failing && failures-- > 0)
      return { batchItemFailures: [{ itemIdentifier: failing.dynamodb?.SequenceNumber ?? '' }] };
    seen.push(...readEmails(event));
    return { batchItemFailures: [] };
  });
  for (const name of ['easy', 'hard', 'last']) await createUser({ name, email: `${name}@example.com` });
  await vi.waitFor(() => expect(seen.slice(-2)).toEqual(['hard@example.com', 'last@example.com']), {
    timeout: 120_000,
  });
  await following.stop();
});

test('consumers receive empty maps and lists at any depth of an item', async () => {
  const item = { pk: 'a', sk: 'a', map: {}, list: [], nested: { map: {}, list: [{}, []] } };
  const seen: unknown[] = [];
  const following = await followStream(await enableStream(TableName), async ({ Records }) => {
    const images = Records.flatMap(({ dynamodb }) => (dynamodb?.NewImage ? [dynamodb.NewImage] : []));
    seen.push(...images.map((image) => unmarshall(image as Record<string, AttributeValue>)));
    return { batchItemFailures: [] };
  });
  await table.send(new PutCommand({ TableName, Item: item }));
  await expect.poll(() => seen).toContainEqual(item);
  await following.stop();
});
