import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { Script } from 'node:vm';
import type { Context } from 'aws-lambda';
import { createGateway, type Handlers } from '../../local/gateway.ts';
import { createContext, provideAwslambda } from '../../local/runtime.ts';
import { sampleEvents, sampleRequests } from './samples.ts';
import { startStubDatabase } from './stub-database.ts';

// Runs in the Node.js of the functions, with its flags: add-compile-caches.ts starts it.

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
