import { Agent, request as startRequest } from 'node:http';
import type { FuzzRequest, FuzzResponse } from './request.ts';

/** Time limit of a request: enough for a busy machine. */
const MAX_SECONDS = 60;
const EVENT_STREAM = 'text/event-stream';

const agent = new Agent({ keepAlive: true });

/** Sends a request without the normalization of `fetch`. Rejects if the service hangs or breaks the connection. */
export async function send(url: string, request: FuzzRequest): Promise<FuzzResponse> {
  try {
    return await sendOnce(url, request);
  } catch (error) {
    // Retry: the service may close an idle connection just when it is reused.
    if (!(error instanceof ConnectionReused)) throw error;
    return sendOnce(url, request);
  }
}

class ConnectionReused extends Error {}

function sendOnce(url: string, { method, path, headers, body }: FuzzRequest): Promise<FuzzResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const request = startRequest({ hostname, port, method, path, headers: { ...headers, ...length }, agent });
    const timer = setTimeout(
      () => request.destroy(new Error(`no response within ${MAX_SECONDS} s`)),
      MAX_SECONDS * 1000,
    );
    request.once('error', (error: NodeJS.ErrnoException) =>
      reject(request.reusedSocket && error.code === 'ECONNRESET' ? new ConnectionReused() : error),
    );
    request.once('close', () => clearTimeout(timer));
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      const settle = () => {
        const bytes = Buffer.concat(chunks);
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: bytes.toString(), bytes: bytes.length });
        if (!response.complete) request.destroy();
      };
      response.once('error', reject);
      response.on('data', (chunk) => {
        chunks.push(chunk);
        if (response.headers['content-type']?.startsWith(EVENT_STREAM)) settle();
      });
      response.once('end', settle);
    });
    request.end(body);
  });
}
