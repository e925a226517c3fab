import type { Writable } from 'node:stream';
import type { ExecutionResult } from 'graphql';

/** Comments this often, in ms, keep intermediaries from taking a quiet stream for a dead one. */
const PING_INTERVAL_MS = 12_000;

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
  const left = new Promise<'left'>((resolve) => to.once('close', () => resolve('left')));
  const raceTimeout = <Result>(promise: Promise<Result>, ms: number) => within(Promise.race([promise, left]), ms);
  // A reader that has gone, or takes nothing until the lease is over, gets no more.
  const send = async (text: string) => (await raceTimeout(write(to, text), end - Date.now())) === 'written';
  const take = () => {
    const next = results.next();
    // What fails after the reader has gone concerns nobody.
    next.catch(() => {});
    return next;
  };
  // The first byte sends status and headers: the client learns at once that it is subscribed.
  let open = await send(':\n\n');
  let next = take();
  while (open && Date.now() < end) {
    const result = await raceTimeout(next, Math.min(PING_INTERVAL_MS, end - Date.now()));
    if (result === 'left') return;
    if (result === 'late') open = await send(':\n\n');
    else if (result.done) return void (await send('event: complete\ndata:\n\n'));
    else {
      open = await send(`event: next\ndata: ${JSON.stringify(result.value)}\n\n`);
      next = take();
    }
  }
}

const write = (to: Writable, text: string): Promise<'written' | 'left'> =>
  new Promise((resolve) => {
    if (to.destroyed) return resolve('left');
    to.write(text, (error) => resolve(error ? 'left' : 'written'));
  });

async function within<Result>(promise: Promise<Result>, ms: number): Promise<Result | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), 'late');
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
