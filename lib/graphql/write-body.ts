import type { Writable } from 'node:stream';
import type { GraphqlResponse } from './respond.ts';

/** Writes a body to its end, or until `stop` is aborted, and ends the output. */
export async function writeBody(output: Writable, body: GraphqlResponse['body'], stop: AbortSignal): Promise<void> {
  if (typeof body === 'string') return void output.end(body);
  try {
    for await (const chunk of body) if (!(await write(output, chunk, stop))) break;
  } finally {
    output.end();
  }
}

/** Waits until the client takes it, so that a slow one does not fill the memory. False once `stop` is aborted. */
const write = (output: Writable, chunk: string, stop: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const onStop = () => resolve(false);
    if (output.destroyed || stop.aborted) return onStop();
    stop.addEventListener('abort', onStop, { once: true });
    output.write(chunk, (error) => {
      stop.removeEventListener('abort', onStop);
      resolve(!error);
    });
  });
