import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory'], { MAX_STREAMS: '2', MAX_STREAMS_PER_CALLER: '2' });
});
afterAll(() => service.stop());

async function sendAndDisconnect(bytes: string): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.write(bytes, resolve));
  await sleep(20);
  socket.destroy();
}

const post = (path: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;

const expectAlive = async () => expect((await fetch(`${service.url}/v1/users?limit=1`)).status).toBe(200);

test.each([
  ['in the middle of the body', post('/v1/users', 'Content-Length: 100', '{"name"')],
  ['after an invalid chunk', post('/v1/users', 'Transfer-Encoding: chunked', 'ZZ\r\n')],
  ['before the response', post('/graphql', 'Content-Length: 33', '{"query":"{users{totalCount}}"}   ')],
])('a client that disconnects %s does not affect other clients', async (_, bytes) => {
  for (let count = 0; count < 5; count++) await sendAndDisconnect(bytes);
  await expectAlive();
});

const subscribe = (query: string, signal: AbortSignal) =>
  fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    signal,
  });

test.each(['subscription { userChanged { id } }', '{ users { totalCount } }', 'nonsense'])(
  'clients that disconnect after the response head of %s do not affect other clients',
  async (query) => {
    for (let count = 0; count < 20; count++) {
      const client = new AbortController();
      await subscribe(query, client.signal);
      client.abort();
    }
    await expectAlive();
  },
);

test('a subscriber that disconnects frees its slot', async () => {
  const open = async () => {
    const client = new AbortController();
    return { status: (await subscribe('subscription { userChanged { id } }', client.signal)).status, client };
  };
  for (let round = 0; round < 3; round++) {
    await vi.waitFor(
      async () => {
        const both = [await open(), await open()];
        for (const { client } of both) client.abort();
        expect(both.map(({ status }) => status)).toEqual([200, 200]);
      },
      { timeout: 120_000, interval: 100 },
    );
  }
});
