import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, fetchExchange, gql } from '@urql/core';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalService, startLocalService } from '../../../../setup/local-service.ts';

const CHANGES = 40;
const CONNECTIONS = 4;
const DOCUMENT = 'subscription ($id: ID!, $after: ID) { userChanged(id: $id, after: $after) { cursor user { name } } }';

type Event = { userChanged: { cursor: string; user: { name: string } } };

let service: LocalService;
beforeAll(async () => {
  // The setting makes clients reconnect each second instead of every 90 s.
  service = await startLocalService(['--memory'], { STREAM_SECONDS: '1' });
});
afterAll(() => service.stop());

const names = Array.from({ length: CHANGES }, (_, at) => `Name ${at}`);

async function send(method: string, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${service.url}/v1/users${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as { id: string };
}

/** Waits after the creation, so that it precedes the subscription. */
const createUser = async () => {
  const { id } = await send('POST', '', { name: 'New', email: `${crypto.randomUUID()}@x.io` });
  await sleep(10);
  return id;
};
const rename = (id: string, name: string) => send('PATCH', `/${id}`, { name });

/** Renames the user in groups, one per connection, so that some changes fall between connections. */
async function changeAcross(id: string, connections: EventTarget): Promise<void> {
  const share = CHANGES / CONNECTIONS;
  for (let connection = 0; connection < CONNECTIONS; connection++) {
    if (connection > 0) await once(connections, 'opened');
    for (const name of names.slice(connection * share, (connection + 1) * share)) await rename(id, name);
  }
}

describe.concurrent('40 changes of a user over four connections arrive once each, in order', () => {
  test('with the graphql-sse client, which reconnects automatically', async () => {
    const id = await createUser();
    const connections = new EventTarget();
    const received: string[] = [];
    let opened = 0;
    const client = createClient({
      url: `${service.url}/graphql`,
      retryAttempts: Number.POSITIVE_INFINITY,
      retry: async () => {},
      on: {
        connected() {
          opened++;
          connections.dispatchEvent(new Event('opened'));
        },
      },
    });
    // The client resumes from its start time until it has received a cursor.
    const variables = { id, after: new Date().toISOString() };
    const all = new Promise<void>((resolve, reject) => {
      client.subscribe<Event>(
        { query: DOCUMENT, variables },
        {
          next({ data, errors }) {
            if (!data) return reject(errors);
            received.push(data.userChanged.user.name);
            // The client sends this cursor when it reconnects.
            variables.after = data.userChanged.cursor;
            if (received.length === CHANGES) resolve();
          },
          error: reject,
          complete: () => reject(new Error('the server completed the subscription')),
        },
      );
    });
    await once(connections, 'opened');
    await Promise.all([changeAcross(id, connections), all]);
    client.dispose();
    expect(received).toEqual(names);
    expect(opened).toBeGreaterThanOrEqual(CONNECTIONS);
  });

  test('with urql, which must subscribe again', async () => {
    const id = await createUser();
    const connections = new EventTarget();
    const received: string[] = [];
    const client = new Client({
      url: `${service.url}/graphql`,
      exchanges: [fetchExchange],
      fetchSubscriptions: true,
      preferGetMethod: false,
      fetch: async (...request) => {
        const response = await fetch(...request);
        connections.dispatchEvent(new Event('opened'));
        return response;
      },
    });
    const query = gql<Event>(DOCUMENT);
    let opened = 0;
    const all = new Promise<void>((resolve, reject) => {
      const subscribe = (after: string): void => {
        opened++;
        let cursor = after;
        client.subscription(query, { id, after }).subscribe(({ data, error, hasNext }) => {
          if (data && data.userChanged.cursor !== cursor) {
            received.push(data.userChanged.user.name);
            cursor = data.userChanged.cursor;
          }
          if (error && !/terminated|network/i.test(error.message)) return reject(error);
          if (hasNext) return;
          if (received.length === CHANGES) resolve();
          else setTimeout(() => subscribe(cursor), 0);
        });
      };
      subscribe(new Date().toISOString());
    });
    await once(connections, 'opened');
    await Promise.all([changeAcross(id, connections), all]);
    expect(received).toEqual(names);
    expect(opened).toBeGreaterThanOrEqual(CONNECTIONS);
  });
});
