import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Subscriber } from '../../../bench/streams/subscriber.ts';

const STREAMS = 64;

Object.assign(process.env, { MAX_STREAMS: String(2 * STREAMS), MAX_STREAMS_PER_CALLER: '2' });
const { handler } = await import('../../../../functions/on-change.ts');
const { followStream } = await import('../../../../infra/local/change-stream.ts');
const { enableStream } = await import('../../../../infra/local/table.ts');
const { TableName, table } = await import('../../../../lib/dynamodb/client.ts');
const { createGraphqlServer } = await import('../../../../lib/graphql/server/server.ts');
const { updateUser } = await import('../../../../lib/users/update.ts');
const { createUser } = await import('../../../setup/create-user.ts');
const { newPerson } = await import('../../../setup/test-data.ts');

vi.spyOn(console, 'info').mockReturnValue();

const WAIT = { timeout: 120_000, interval: 50 };

async function startServer() {
  const graphql = createGraphqlServer();
  await once(graphql.server.listen(0, '127.0.0.1'), 'listening');
  const { port } = graphql.server.address() as AddressInfo; // A TCP server's address is an AddressInfo.
  return { ...graphql, url: `http://127.0.0.1:${port}/graphql` };
}

/** How often each change was read for streams that wait: several at once, as no other reads are. */
const reads = new Map<string, number>();
table.middlewareStack.add(
  (next, { commandName }) =>
    (args) => {
      const { RequestItems = {} } = args.input as {
        RequestItems?: Record<string, { Keys?: { pk: string; sk: string }[] }>;
      };
      if (commandName === 'BatchGetItemCommand')
        for (const { pk, sk } of RequestItems[TableName]?.Keys ?? [])
          if (pk.startsWith('CHANGES#')) reads.set(`${pk} ${sk}`, (reads.get(`${pk} ${sk}`) ?? 0) + 1);
      return next(args);
    },
  { step: 'initialize', name: 'reads' },
);

let follower: { stop(): Promise<void> };
let ids: string[];
beforeAll(async () => {
  ids = await Promise.all(Array.from({ length: STREAMS }, async () => (await createUser(newPerson())).id));
  // The users are not in the stream.
  follower = await followStream(await enableStream(TableName), handler, { pollIntervalMs: 20 });
});
afterAll(() => follower.stop());

const CHANGES = 3;

async function changeAll(): Promise<void> {
  for (let count = 0; count < CHANGES; count++)
    await Promise.all(ids.map((id) => updateUser({ id, name: `Ada ${count}` }, 'sub:test')));
}

test('64 streams of one process get exactly the changes of their users, in order, also after it ends, and each change is read once', async () => {
  const first = await startServer();
  const subscribers = ids.map(
    (userId, index) =>
      new Subscriber({ url: first.url, clientAddress: `192.0.2.${index}`, userId, version: 1 }, () => {}),
  );
  const listVersions = () => subscribers.map(({ version }) => version);
  await Promise.all(subscribers.map((subscriber) => subscriber.open()));
  await changeAll();
  await vi.waitFor(() => expect(new Set(listVersions())).toEqual(new Set([1 + CHANGES])), WAIT);
  expect([...reads.values()]).toEqual(Array.from({ length: STREAMS * CHANGES }, () => 1));

  const second = await startServer();
  for (const subscriber of subscribers) subscriber.moveTo(second.url);
  await Promise.all([changeAll(), first.drain()]);
  await vi.waitFor(() => expect(new Set(listVersions())).toEqual(new Set([1 + 2 * CHANGES])), WAIT);
  expect(subscribers.flatMap(({ violations }) => violations)).toEqual([]);
  expect(new Set(subscribers.map(({ openings }) => openings))).toEqual(new Set([2]));
  for (const subscriber of subscribers) subscriber.close();
  await second.drain();
});

test.each([
  ['a version is left out', [2, 4]],
  ['a version is repeated', [2, 2]],
  ['versions change places', [3, 2]],
  ['the stream is completed', ['event: complete\ndata:\n\n']],
  [
    'another user is changed',
    ['event: next\ndata: {"data":{"userChanged":{"cursor":"","user":{"id":"bob","version":2}}}}\n\n'],
  ],
])('the check of a stream fails when %s', async (_, events) => {
  const server = createServer((_, response) => {
    response.write(':\n\n');
    for (const event of events)
      response.write(
        typeof event === 'string'
          ? event
          : `event: next\ndata: ${JSON.stringify({ data: { userChanged: { cursor: '', user: { id: 'ada', version: event } } } })}\n\n`,
      );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const target = { url: `http://127.0.0.1:${port}/`, clientAddress: '192.0.2.1', userId: 'ada', version: 1 };
  const subscriber = new Subscriber(target, () => {});
  await subscriber.open();
  await vi.waitFor(() => expect(subscriber.violations.length).toBeGreaterThan(0), WAIT);
  subscriber.close();
  server.closeAllConnections();
  server.close();
});
