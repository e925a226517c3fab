import '../browser-globals.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { feed, followChanges } from '../../../../../infra/web/console/activity/feed.ts';

afterEach(() => vi.unstubAllGlobals());

test('at the limit of open streams, the feed shows the limit and resumes when a stream is free', async () => {
  const errors = [
    { message: '5 of 5 streams are open; please try again later', extensions: { code: 'SERVICE_UNAVAILABLE' } },
  ];
  const fetch = vi.fn(async () => new Response(JSON.stringify({ errors }), { status: 503 }));
  vi.stubGlobal('fetch', fetch);
  const stop = followChanges(
    undefined,
    () => {},
    () => {},
  );
  await expect
    .poll(() => feed.get())
    .toMatchObject({ status: 'connecting', error: '5 of 5 streams are open; please try again later' });
  fetch.mockImplementation(async () => new Response(new ReadableStream(), { status: 200 }));
  await expect.poll(() => feed.get()).toMatchObject({ status: 'live', error: undefined });
  stop();
});
