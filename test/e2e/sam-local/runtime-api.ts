import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Invocation = { path: string; contentType: string | undefined; body: string };

/**
 * Starts a Runtime API that hands out one event and returns what the runtime client posts.
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function startRuntimeApi(event: string) {
  let receive: (invocation: Invocation) => void;
  const result = new Promise<Invocation>((resolve) => {
    receive = resolve;
  });
  let isHandedOut = false;
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    if (path.endsWith('/next')) {
      // The second request waits until the server closes.
      if (!isHandedOut) response.writeHead(200, HEADERS()).end(event);
      isHandedOut = true;
      return;
    }
    receive({ path, contentType: request.headers['content-type'], body: await text(request) });
    response.writeHead(202).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server's address is an AddressInfo.
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { address, result, [Symbol.asyncDispose]: close };
}

const HEADERS = () => ({
  'content-type': 'application/json',
  'lambda-runtime-aws-request-id': crypto.randomUUID(),
  'lambda-runtime-deadline-ms': String(Date.now() + 30_000),
  'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:012345678912:function:Function',
});
