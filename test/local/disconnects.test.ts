import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type LocalService, startLocalService } from '../setup/local-service.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory'], { MAX_STREAMS: '2' });
});
afterAll(() => service.stop());

/** Sends bytes as they are, and leaves. */
async function sendAndLeave(bytes: string): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.write(bytes, resolve));
  await sleep(20);
  socket.destroy();
}

const post = (path: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;

const isAlive = async () => expect((await fetch(`${service.url}/v1/users?limit=1`)).status).toBe(200);

test.each([
  ['in the middle of its body', post('/v1/users', 'Content-Length: 100', '{"name"')],
  ['with a chunk that is none', post('/v1/users', 'Transfer-Encoding: chunked', 'ZZ\r\n')],
  ['before its answer', post('/graphql', 'Content-Length: 33', '{"query":"{users{totalCount}}"}   ')],
])('a client that leaves %s harms nobody else', async (_, bytes) => {
  for (let count = 0; count < 5; count++) await sendAndLeave(bytes);
  await isAlive();
});

const subscribe = (query: string, signal: AbortSignal) =>
  fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    signal,
  });

test.each(['subscription { userChanged { id } }', '{ users { totalCount } }', 'nonsense'])(
  'clients that leave as soon as the head of %s is there harm nobody else',
  async (query) => {
    for (let count = 0; count < 20; count++) {
      const leave = new AbortController();
      await subscribe(query, leave.signal);
      leave.abort();
    }
    await isAlive();
  },
);

test('a subscriber that leaves makes room for the next', async () => {
  const open = async () => {
    const leave = new AbortController();
    return { status: (await subscribe('subscription { userChanged { id } }', leave.signal)).status, leave };
  };
  for (let round = 0; round < 3; round++) {
    await vi.waitFor(
      async () => {
        const both = [await open(), await open()];
        for (const { leave } of both) leave.abort();
        expect(both.map(({ status }) => status)).toEqual([200, 200]);
      },
      { timeout: 5_000, interval: 100 },
    );
  }
});
