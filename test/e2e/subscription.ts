import { deepEqual } from 'node:assert/strict';
import { createClient } from 'graphql-sse';
import { type Proxies, sendSigned } from './callers.ts';

type Event = { userChanged: { cursor: string; kind: string; user: { name: string } } };
const query =
  'subscription ($id: ID!, $after: ID) { userChanged(id: $id, after: $after) { cursor kind user { name } } }';

const sendUnsigned: typeof sendSigned = ({ url }, _, path, request) => fetch(`${url}${path}`, request);

/** The client must get each change once while `deploy` starts to require signatures. */
export async function checkStreamAcross(proxies: Proxies, path: string, deploy: () => Promise<void>): Promise<void> {
  let send = sendUnsigned;
  const rename = async (name: string) => {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'PATCH', headers, body: JSON.stringify({ name }) };
    deepEqual((await send(proxies.api, 'execute-api', path, request)).status, 200);
  };
  const client = createClient({
    url: proxies.graphql.url,
    retryAttempts: Number.POSITIVE_INFINITY,
    fetchFn: (_url: string, { method = 'POST', headers, body }: RequestInit) =>
      send(proxies.graphql, 'lambda', '/', {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        body: String(body),
      }),
  });
  const variables = { id: path.split('/').pop(), after: new Date().toISOString() };
  const events = client.iterate<Event>({ query, variables });
  const next = async () => {
    const { userChanged } = (await events.next()).value?.data ?? {};
    // The client sends this cursor when it reconnects.
    variables.after = userChanged?.cursor ?? variables.after;
    return [userChanged?.kind, userChanged?.user.name];
  };
  try {
    const first = next();
    await rename('Ada King');
    deepEqual(await first, ['UPDATED', 'Ada King']);
    await deploy();
    send = sendSigned;
    await rename('Ada Lovelace');
    deepEqual(await next(), ['UPDATED', 'Ada Lovelace']);
  } finally {
    client.dispose();
  }
}
