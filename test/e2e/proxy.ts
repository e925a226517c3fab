import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Emulator } from './emulator.ts';
import { STREAM_TO, type StreamHead } from './streaming.ts';

/** `host` is the name it leads to. */
export type ApiProxy = AsyncDisposable & { url: string; host: string };

/**
 * A plain address on loopback for one host name of the emulator, which no resolver knows. The emulator holds an answer
 * back until it is whole; a function that streams sends its answer here as it comes (awslambda.ts), past the emulator.
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

/** Resolves when the emulator has answered, or cannot. Its answer to a request that was streamed holds nothing new. */
function forward({ endpoint, ca }: Emulator, request: IncomingMessage, headers: object, response: ServerResponse) {
  const options = { method: request.method, headers: { ...headers }, ca, servername: 'localhost' };
  return new Promise<void>((resolve) => {
    const onward = secureRequest(`${endpoint}${request.url}`, options, (answer) => {
      answer.once('close', resolve);
      if (response.headersSent) return answer.resume();
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.once('error', (error) => {
      response.destroy(error);
      resolve();
    });
    request.pipe(onward);
  });
}

function relay(chunks: IncomingMessage, receipt: ServerResponse, client: ServerResponse): void {
  const { statusCode = 200, headers = {} }: StreamHead = JSON.parse(String(chunks.headers[STREAM_TO]));
  client.writeHead(statusCode, headers);
  client.flushHeaders();
  chunks.pipe(client);
  chunks.once('error', () => client.destroy());
  chunks.once('end', () => receipt.end());
}
