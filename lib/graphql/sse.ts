import type { Writable } from 'node:stream';
import type { ExecutionResult } from 'graphql';

/** Comments this often, in ms, keep intermediaries from taking a quiet stream for a dead one. */
const PING_EVERY = 12_000;

/**
 * Frames results as the "distinct connections mode" of graphql-sse does, until they end or `seconds` are over. Then the
 * stream ends without `complete`, which tells the client to connect again.
 * https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
export async function sendEvents(
  results: AsyncGenerator<ExecutionResult>,
  to: Writable,
  seconds: number,
): Promise<void> {
  const end = Date.now() + seconds * 1000;
  // The first byte sends status and headers: the client learns at once that it is subscribed.
  let open = await write(to, ':\n\n');
  let next = results.next();
  while (open && Date.now() < end) {
    const result = await within(next, Math.min(PING_EVERY, end - Date.now()));
    if (result === 'late') {
      open = await write(to, ':\n\n');
      continue;
    }
    if (result.done) {
      await write(to, 'event: complete\ndata:\n\n');
      break;
    }
    open = await write(to, `event: next\ndata: ${JSON.stringify(result.value)}\n\n`);
    next = results.next();
  }
  // Not awaited: it takes effect at the next look at the log, and nobody waits for that.
  void results.return(undefined).catch(() => {});
}

/** False once the reader has gone. */
const write = (to: Writable, text: string): Promise<boolean> =>
  new Promise((resolve) => {
    if (to.destroyed) return resolve(false);
    to.write(text, (error) => resolve(!error));
  });

async function within<Result>(promise: Promise<Result>, ms: number): Promise<Result | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), 'late');
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
