import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { followStream } from '../../infra/local/change-stream.ts';
import { TableName } from '../../lib/dynamodb/client.ts';
import { createUser } from '../../lib/users/create.ts';

let door: Server | undefined;
afterEach(() => {
  door?.close().closeAllConnections();
  vi.unstubAllEnvs();
});

/** The database behind a door that can be shut. */
async function databaseBehindDoor() {
  const state = { open: true };
  const database = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  door = createServer((incoming, outgoing) => {
    if (!state.open) return void incoming.socket.destroy();
    const { method, url, headers } = incoming;
    const onward = request(new URL(url ?? '/', database), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(onward.on('error', () => outgoing.destroy()));
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB_STREAMS', `http://127.0.0.1:${(door.address() as AddressInfo).port}`);
  return state;
}

const emailsIn = ({ Records }: DynamoDBStreamEvent) =>
  Records.flatMap(({ dynamodb }) => dynamodb?.NewImage?.email?.S ?? []);

test('the stream is followed again when the database is back', { timeout: 40_000 }, async () => {
  const state = await databaseBehindDoor();
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  const seen: string[] = [];
  const following = await followStream(TableName, async (event) => {
    seen.push(...emailsIn(event));
    return { batchItemFailures: [] };
  });
  await createUser({ name: 'Before', email: 'before@example.com' });
  await vi.waitFor(() => expect(seen).toEqual(['before@example.com']), { timeout: 5_000 });
  state.open = false;
  await vi.waitFor(() => expect(logged).toHaveBeenCalled(), { timeout: 15_000 });
  await createUser({ name: 'Meanwhile', email: 'meanwhile@example.com' });
  state.open = true;
  await vi.waitFor(() => expect(seen).toEqual(['before@example.com', 'meanwhile@example.com']), { timeout: 15_000 });
  await following.stop();
});

test('a record that fails is delivered again, and none behind it before', { timeout: 20_000 }, async () => {
  const seen: string[] = [];
  let failures = 2;
  const following = await followStream(TableName, async (event) => {
    const failing = event.Records.find(({ dynamodb }) => dynamodb?.NewImage?.email?.S === 'hard@example.com');
    if (failing && failures-- > 0)
      return { batchItemFailures: [{ itemIdentifier: failing.dynamodb?.SequenceNumber ?? '' }] };
    seen.push(...emailsIn(event));
    return { batchItemFailures: [] };
  });
  for (const name of ['easy', 'hard', 'last']) await createUser({ name, email: `${name}@example.com` });
  await vi.waitFor(() => expect(seen.slice(-2)).toEqual(['hard@example.com', 'last@example.com']), { timeout: 10_000 });
  await following.stop();
});
