import type { Writable } from 'node:stream';
import type { FormattedExecutionResult } from 'graphql';

/** Comments in this interval keep intermediaries from closing a stream without events. */
const PING_INTERVAL_MS = 12_000;

/**
 * Writes results as the "distinct connections mode" of graphql-sse until they end or `seconds` have passed. Then the
 * stream ends without `complete`, which tells the client to reconnect.
 * https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
export async function sendEvents(
  results: AsyncGenerator<FormattedExecutionResult>,
  body: Writable,
  seconds: number,
): Promise<void> {
  const end = Date.now() + seconds * 1000;
  const closed = new Promise<'closed'>((resolve) => body.once('close', () => resolve('closed')));
  const waitFor = <Result>(promise: Promise<Result>, ms: number) => raceTimeout(Promise.race([promise, closed]), ms);
  const send = async (text: string) => (await waitFor(write(body, text), end - Date.now())) === 'written';
  const take = () => {
    const next = results.next();
    next.catch(() => {}); // If the client has left, nobody awaits the failure.
    return next;
  };
  // The first write sends status and headers, so that the client knows at once that it is subscribed.
  let open = await send(':\n\n');
  let next = take();
  while (open && Date.now() < end) {
    const result = await waitFor(next, Math.min(PING_INTERVAL_MS, end - Date.now()));
    if (result === 'closed') return;
    if (result === 'timeout') open = await send(':\n\n');
    else if (result.done) {
      await send('event: complete\ndata:\n\n');
      return;
    } else {
      open = await send(`event: next\ndata: ${JSON.stringify(result.value)}\n\n`);
      next = take();
    }
  }
}

const write = (body: Writable, text: string): Promise<'written' | 'closed'> =>
  new Promise((resolve) => {
    if (body.destroyed) return resolve('closed');
    body.write(text, (error) => resolve(error ? 'closed' : 'written'));
  });

async function raceTimeout<Result>(promise: Promise<Result>, ms: number): Promise<Result | 'timeout'> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), 'timeout');
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
