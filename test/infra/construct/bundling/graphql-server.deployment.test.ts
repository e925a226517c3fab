import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { databaseEnvironment } from '../../../../infra/local/database/start.ts';
import { startGraphqlServer } from '../../../setup/graphql-server.ts';

/** Simulates an empty table. `signers`: access keys of the requests. */
async function startDatabase() {
  const signers: string[] = [];
  const server = createServer((incoming, response) => {
    signers.push(/Credential=(\w+)/.exec(String(incoming.headers.authorization))?.[1] ?? 'nobody');
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { signers, server, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const readUser = (url: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ user(id: "01a1fc2b-6afb-746d-b0f3-2c7678fa44ac") { id } }' }),
  });

test('the web function signs with credentials of its runtime, and renews them before they expire', async () => {
  const database = await startDatabase();
  let issued = 0;
  const tokens: (string | undefined)[] = [];
  const credentials = createServer((incoming, response) => {
    tokens.push(incoming.headers.authorization);
    const Expiration = new Date(Date.now() + (issued === 0 ? 60_000 : 3_600_000)).toISOString();
    const keys = { AccessKeyId: `AKID${issued++}`, SecretAccessKey: 'secret', Token: 'token', Expiration };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(keys));
  });
  await once(credentials.listen(0, '127.0.0.1'), 'listening');
  const server = await startGraphqlServer({
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${(credentials.address() as AddressInfo).port}/`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'secret of the runtime',
  });
  await expect.poll(async () => (await readUser(server.url)) && database.signers.at(-1)).toBe('AKID1');
  expect(database.signers[0]).toBe('AKID0');
  expect(tokens).toEqual(['secret of the runtime', 'secret of the runtime']);
  expect(await server.stop()).toEqual({ code: 0 });
  for (const each of [credentials, database.server]) each.close().closeAllConnections();
});

test('the process counts its streams, and ends after SIGTERM once they end', async () => {
  const {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint = '',
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    TABLE_NAME = '',
  } = process.env;
  const start = () =>
    startGraphqlServer({ ...databaseEnvironment({ endpoint, accessKeyId }), TABLE_NAME, MAX_STREAMS: '1' });
  const subscribe = (url: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { userChanged { id } }' }),
    });
  const server = await start();
  const stream = await subscribe(server.url);
  expect(stream.status).toBe(200);
  expect((await subscribe(server.url)).status, 'its limit is 1').toBe(429);
  const [result, body] = await Promise.all([server.stop(), stream.text()]);
  expect({ ...result, body }).toEqual({ code: 0, body: ':\n\n' });
  expect(server.logged.join('')).toMatch(/event: 'request'/);
});
