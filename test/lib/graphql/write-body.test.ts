import { once } from 'node:events';
import { Writable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { SlowClient } from '../../../lib/errors.ts';
import { writeBody } from '../../../lib/graphql/write-body.ts';

afterEach(() => void vi.useRealTimers());

test('a stream ends if the client does not accept a chunk within ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let isReturned = false;
  async function* createBody() {
    try {
      for (;;) yield 'x';
    } finally {
      isReturned = true;
    }
  }
  const [connection, reached] = [new AbortController(), Promise.withResolvers<void>()];
  const output = new Writable({ write: () => reached.resolve() });
  const written = writeBody(output, createBody(), connection);
  await reached.promise;
  vi.advanceTimersByTime(9_999);
  expect(connection.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  await written;
  expect(connection.signal.reason).toBeInstanceOf(SlowClient);
  expect([isReturned, output.writableEnded]).toEqual([true, true]);
});

test('a stream continues if the client accepts each chunk in time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const chunks: string[] = [];
  const output = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      vi.advanceTimersByTime(9_999);
      done();
    },
  });
  const connection = new AbortController();
  const finished = once(output, 'finish');
  await writeBody(
    output,
    (async function* () {
      yield* ['a', 'b', 'c'];
    })(),
    connection,
  );
  await finished;
  expect([chunks, connection.signal.aborted]).toEqual([['a', 'b', 'c'], false]);
});
