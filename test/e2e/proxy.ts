import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ResponseHead } from '../../infra/local/runtime.ts';
import type { Emulator } from './emulator.ts';
import { STREAM_TO } from './streaming.ts';

/** `host`: target of requests. */
export type ApiProxy = AsyncDisposable & { url: string; host: string };

/**
 * Makes an unresolvable host name of the emulator reachable. The emulator buffers responses, so streaming functions
 * send theirs to this proxy (awslambda.ts).
 */
export async function openProxy(emulator: Emulator, host: string): Promise<ApiProxy> {
  const waiting = new Map<string, ServerResponse>();
  const server = createServer((request, response) => {
    const client = waiting.get(request.url ?? '');
    if (client) return relay(request, response, client);
    const streamPath = `/${randomUUID()}`;
    waiting.set(streamPath, response);
    const headers = { ...request.headers, host, [STREAM_TO]: `${url}${streamPath}` };
    forward(emulator, request, headers, response).finally(() => waiting.delete(streamPath));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, host, [Symbol.asyncDispose]: close };
}

/** Discards the response to a streamed request. */
function forward({ endpoint, ca }: Emulator, request: IncomingMessage, headers: object, response: ServerResponse) {
  const options = { method: request.method, headers: { ...headers }, ca, servername: 'localhost' };
  return new Promise<void>((resolve) => {
    const outgoing = secureRequest(`${endpoint}${request.url}`, options, (incoming) => {
      incoming.once('close', resolve);
      if (response.headersSent) return incoming.resume();
      response.writeHead(incoming.statusCode ?? 502, incoming.rawHeaders);
      incoming.pipe(response);
    });
    outgoing.once('error', (error) => {
      response.destroy(error);
      resolve();
    });
    request.pipe(outgoing);
  });
}

function relay(chunks: IncomingMessage, receipt: ServerResponse, client: ServerResponse): void {
  const { statusCode = 200, headers = {} }: ResponseHead = JSON.parse(String(chunks.headers[STREAM_TO]));
  client.writeHead(statusCode, headers);
  client.flushHeaders();
  chunks.pipe(client);
  chunks.once('error', () => client.destroy());
  chunks.once('end', () => receipt.end());
}
