import type { Writable } from 'node:stream';
import { SlowClient } from '../errors.ts';

/** Read a stream to its end, or call its `return` after the first event. */
export type GraphqlResponse = {
  statusCode: number;
  headers: Record<string, string>;
  body: string | AsyncGenerator<string | Uint8Array>;
};

/** Time for a client to read a chunk of 64 kB. */
export const MAX_CHUNK_MS = 10_000;

/** Writes the body. Aborts `connection` if the client is too slow. */
export async function writeBody(
  output: Writable,
  body: GraphqlResponse['body'],
  connection: AbortController,
): Promise<void> {
  if (typeof body === 'string') return void output.end(body);
  try {
    for await (const chunk of body) if (!(await write(output, chunk, connection))) break;
  } finally {
    output.end();
  }
}

/** Waits for slow clients, so that they do not fill the memory. False once `connection` is aborted. */
const write = (output: Writable, chunk: string | Uint8Array, connection: AbortController): Promise<boolean> =>
  new Promise((resolve) => {
    const { signal } = connection;
    const onStop = () => resolve(false);
    if (output.destroyed || signal.aborted) return onStop();
    signal.addEventListener('abort', onStop, { once: true });
    const timer = setTimeout(() => connection.abort(new SlowClient()), MAX_CHUNK_MS);
    output.write(chunk, (error) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onStop);
      resolve(!error);
    });
  });
