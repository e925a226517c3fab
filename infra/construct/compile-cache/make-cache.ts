import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { Script } from 'node:vm';
import type { Context } from 'aws-lambda';
import { type AnyOperation, operations } from '../../../lib/rest/operations.ts';
import { createGateway, type Handlers } from '../../local/gateway.ts';
import { createContext, provideAwslambda } from '../../local/runtime.ts';
import { createStreamEvent, startStubDatabase, USER_ID } from './stub-database.ts';

// compile-cache.ts starts this file in the Node.js of the functions, with its flags.

type SampleRequest = { path: string; method: string; headers?: Record<string, string>; body?: string };

const withBody = (body: object) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

const toSampleRequest = ({ method, path, examples: [{ query, body }] }: AnyOperation): SampleRequest => ({
  method,
  path: `/v1/users${path.replace('{id}', USER_ID)}${query ? `?${query}` : ''}`,
  ...(body ? withBody(body) : {}),
});

/** A request for each function that has an API. */
const sampleRequests: Record<string, SampleRequest> = {
  ...Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, toSampleRequest(operation)])),
  graphql: { method: 'POST', path: '/graphql', ...withBody({ query: `{ user(id: "${USER_ID}") { id name email } }` }) },
};

const sampleEvents: Record<string, unknown> = {
  'on-change': createStreamEvent(),
  // None of these records is an entry of the change log: nothing is sent.
  'publish-events': createStreamEvent(),
  'index-pages': {},
};

const [name = '', folder = ''] = process.argv.slice(2);

provideAwslambda();
await using database = await startStubDatabase();
process.env.AWS_ENDPOINT_URL_DYNAMODB = database.endpoint;
const script = new Script(readFileSync(`${folder}/${name}.code.js`, 'latin1'), { filename: `${name}.mjs` });
const { handler } = await script.runInThisContext()();
// After a request the cache contains the functions that it needed.
await invokeWithSample();
writeFileSync(`${folder}/${name}.cache`, script.createCachedData());

async function invokeWithSample(): Promise<void> {
  const request = sampleRequests[name];
  if (!request)
    return void (await (handler as (event: unknown, context: Context) => unknown)(sampleEvents[name], createContext()));
  const gateway = createGateway({ [name]: handler } as Handlers).listen(0, '127.0.0.1'); // The request leads to this function.
  await once(gateway, 'listening');
  const { path, ...options } = request;
  const { port } = gateway.address() as AddressInfo; // A TCP server's address is an AddressInfo.
  const response = await fetch(`http://127.0.0.1:${port}${path}`, options);
  if (!response.ok) throw new Error(`${name} returned ${response.status}: ${await response.text()}`);
  gateway.closeAllConnections();
  gateway.close();
}
