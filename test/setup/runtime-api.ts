import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Invocation = { path: string; headers: IncomingMessage['headers']; body: string };

type Waiting = { event: string; respond(invocation: Invocation): void };

/** https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html */
export async function startRuntimeApi() {
  const events: Waiting[] = [];
  let idle: ServerResponse | undefined;
  let current: Waiting | undefined;
  const handOut = () => {
    if (!idle || events.length === 0) return;
    current = events.shift();
    idle.writeHead(200, createHeaders()).end(current?.event);
    idle = undefined;
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    if (path.endsWith('/next')) {
      idle = response;
      return handOut();
    }
    const body = await text(request);
    response.writeHead(202).end();
    current?.respond({ path, headers: request.headers, body });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`; // `address()` returns a string only for pipes.
  const invoke = (event: string) =>
    new Promise<Invocation>((respond) => {
      events.push({ event, respond });
      handOut();
    });
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { address, invoke, [Symbol.asyncDispose]: close };
}

const createHeaders = () => ({
  'content-type': 'application/json',
  'lambda-runtime-aws-request-id': crypto.randomUUID(),
  'lambda-runtime-deadline-ms': String(Date.now() + 30_000),
  'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:012345678912:function:Function',
});
