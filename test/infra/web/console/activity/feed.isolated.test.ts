import '../browser-globals.ts';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  addChanges,
  type Change,
  dropChanges,
  feed,
  findDeletedName,
  followChanges,
  readLastHour,
  updateFeed,
} from '../../../../../infra/web/console/activity/feed.ts';
import { recallName, rememberName } from '../../../../../infra/web/console/api/users.ts';

beforeEach(() => feed.set(() => ({ status: 'connecting', changes: [], dropped: 0 })));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const at = '2026-11-22T10:00:00.000Z';
const newChange = (number: number, kind: Change['kind'] = 'UPDATED'): Change => {
  const id = `${number}`;
  const user = { id, name: `User ${id}`, email: `${id}@example.org`, version: 1, createdAt: at, updatedAt: at };
  return { cursor: `c${id}`, kind, id, at, version: 1, user: kind === 'DELETED' ? null : user };
};
const listCursors = () => feed.get().changes.map(({ cursor }) => cursor);

test('the latest changes come first, and the oldest are dropped', () => {
  addChanges([newChange(1), newChange(2, 'DELETED')]);
  expect(feed.get()).toMatchObject({ dropped: 0, cursor: 'c2' });
  addChanges([newChange(3)]);
  expect(listCursors()).toEqual(['c3', 'c2', 'c1']);
  addChanges(Array.from({ length: 199 }, (_, at) => newChange(at + 4)));
  expect(listCursors()).toHaveLength(200);
  expect(listCursors().slice(-2)).toEqual(['c4', 'c3']);
  expect(feed.get()).toMatchObject({ dropped: 2, cursor: 'c202' });
});

test('a deletion has the name that the user had; no other part of the page remembers it', () => {
  addChanges([newChange(7)]);
  addChanges([{ ...newChange(7, 'DELETED'), cursor: 'c8' }]);
  expect(feed.get().changes[0]).toMatchObject({ kind: 'DELETED', name: 'User 7' });
  expect(findDeletedName('7')).toBe('User 7');
  expect(recallName('7')).toBeUndefined();
  dropChanges('7');
  expect(findDeletedName('7')).toBeUndefined();
});

test('the page remembers the latest thousand names', () => {
  for (let number = 1; number <= 1001; number += 1) rememberName({ id: `${number}`, name: `User ${number}` });
  expect([1, 2, 1001].map((id) => recallName(`${id}`))).toEqual([undefined, 'User 2', 'User 1001']);
});

type Following = { after?: string | undefined; onChanges?: () => void; onTooOld?: () => void; onGap?: () => void };

const follow = ({ after, onChanges = () => {}, onTooOld = () => {}, onGap = () => {} }: Following = {}) =>
  followChanges(after, onChanges, onTooOld, onGap);

/** Answers with pages of the log. */
function answerPages(...pages: Change[][]) {
  const fetch = vi.fn(async (_url: string, _init: { body: string }) => {
    const nodes = pages.shift() ?? [];
    const pageInfo = { hasNextPage: pages.length > 0, endCursor: nodes.at(-1)?.cursor };
    return Response.json({ data: { userChanges: { nodes, pageInfo } } });
  });
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

test('the last hour is listed once, below changes that arrive meanwhile', async () => {
  addChanges([newChange(2)]);
  const fetch = answerPages([newChange(1), newChange(2)], [newChange(3), newChange(4, 'DELETED')]);
  vi.setSystemTime('2026-11-22T11:00:00.000Z');
  const reading = readLastHour();
  addChanges([newChange(3)]);
  addChanges([newChange(5)]);
  await reading;
  expect(listCursors()).toEqual(['c5', 'c4', 'c3', 'c2', 'c1']);
  // The stream continues where it was, and delivers a change that was read already.
  expect(feed.get().cursor).toBe('c5');
  addChanges([newChange(4, 'DELETED'), newChange(6)]);
  expect(listCursors()).toEqual(['c6', 'c5', 'c4', 'c3', 'c2', 'c1']);
  expect(JSON.parse(fetch.mock.calls[0]?.[1].body ?? '').variables.after).toBe('2026-11-22T10:00:00.000Z');
});

test('only the latest changes of the hour are listed, and the others are counted', async () => {
  answerPages(Array.from({ length: 230 }, (_, at) => newChange(at)));
  await readLastHour();
  expect(listCursors()).toHaveLength(200);
  // The stream is behind.
  addChanges([newChange(0), newChange(229), newChange(230)]);
  expect(listCursors().slice(0, 2)).toEqual(['c230', 'c229']);
  expect(feed.get().dropped).toBe(31);
});

test('all changes of an erased user are dropped', () => {
  addChanges([newChange(1), newChange(2), newChange(1, 'DELETED')]);
  dropChanges('1');
  expect(listCursors()).toEqual(['c2']);
});

/** Answers with one event per text, and keeps the stream open. */
const openStream = (...events: string[]) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const event of events) controller.enqueue(new TextEncoder().encode(`${event}\n\n`));
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  );

test('changes of one frame are reported together', async () => {
  const frames: (() => void)[] = [];
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run));
  const events = [newChange(1), newChange(2)].map(
    (userChanged) => `event: next\ndata: ${JSON.stringify({ data: { userChanged } })}`,
  );
  vi.stubGlobal('fetch', async () => openStream(...events));
  const onChanges = vi.fn();
  const stop = follow({ onChanges });
  await expect.poll(() => frames).toHaveLength(1);
  await setImmediate();
  expect(onChanges).not.toHaveBeenCalled();
  frames[0]?.();
  expect(onChanges.mock.calls).toEqual([[[newChange(1), newChange(2)]]]);
  expect(listCursors()).toEqual(['c2', 'c1']);
  stop();
});

test('after a stop, changes that were received are not shown', async () => {
  const frames: (() => void)[] = [];
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run));
  const event = `event: next\ndata: ${JSON.stringify({ data: { userChanged: newChange(1) } })}`;
  vi.stubGlobal('fetch', async () => openStream(event));
  const onChanges = vi.fn();
  const stop = follow({ onChanges });
  await expect.poll(() => frames).toHaveLength(1);
  stop();
  frames[0]?.();
  expect(onChanges).not.toHaveBeenCalled();
  expect(listCursors()).toEqual([]);
});

test.each([
  ['its cursor', 'c1', 1],
  ['no cursor', undefined, 0],
])('a stream whose request is rejected with %s fails and forgets the cursor', async (_, cursor, times) => {
  const errors = [{ message: 'The cursor is too old', extensions: { code: 'BAD_USER_INPUT' } }];
  vi.stubGlobal('fetch', async () => Response.json({ errors }, { status: 400 }));
  updateFeed({ cursor });
  const onTooOld = vi.fn();
  const stop = follow({ after: cursor, onTooOld });
  await expect.poll(() => feed.get()).toMatchObject({ status: 'failed', error: 'The cursor is too old' });
  await expect.poll(() => feed.get().cursor).toBeUndefined();
  expect(onTooOld).toHaveBeenCalledTimes(times);
  stop();
});

test('after an expired cursor, the data is read once the next stream is open, even if that takes several starts', async () => {
  const errors = [{ message: 'The cursor is too old', extensions: { code: 'BAD_USER_INPUT' } }];
  vi.stubGlobal('fetch', async () => Response.json({ errors }, { status: 400 }));
  updateFeed({ cursor: 'c1' });
  const onGap = vi.fn();
  const stopExpired = follow({ after: 'c1', onGap });
  await expect.poll(() => feed.get().cursor).toBeUndefined();
  stopExpired();
  const { promise, resolve } = Promise.withResolvers<Response>();
  const fetch = vi.fn(() => promise);
  vi.stubGlobal('fetch', fetch);
  // The page is hidden before the stream is open.
  follow({ onGap })();
  const stop = follow({ onGap });
  await expect.poll(() => fetch.mock.calls.length).toBeGreaterThan(0);
  await setImmediate();
  expect(onGap).not.toHaveBeenCalled();
  resolve(new Response(new ReadableStream(), { status: 200 }));
  await expect.poll(() => feed.get().status).toBe('live');
  expect(onGap).toHaveBeenCalledTimes(1);
  stop();
  vi.stubGlobal('fetch', async () => openStream());
  const stopNext = follow({ after: 'c2', onGap });
  await expect.poll(() => feed.get().status).toBe('live');
  expect(onGap).toHaveBeenCalledTimes(1);
  stopNext();
});

test('a stream that is not allowed fails and keeps its cursor', async () => {
  const errors = [{ message: 'A subscription requires the scope users:read', extensions: { code: 'FORBIDDEN' } }];
  vi.stubGlobal('fetch', async () => Response.json({ errors }, { status: 403 }));
  updateFeed({ cursor: 'c1' });
  const onTooOld = vi.fn();
  const stop = follow({ after: 'c1', onTooOld });
  await expect.poll(() => feed.get().status).toBe('failed');
  await setImmediate();
  expect(feed.get()).toMatchObject({ cursor: 'c1', error: expect.stringContaining('users:read') });
  expect(onTooOld).not.toHaveBeenCalled();
  stop();
});

test('at the limit of open streams, the feed shows the limit and resumes when a stream is free', async () => {
  const errors = [
    { message: '5 of 5 streams are open; please try again later', extensions: { code: 'SERVICE_UNAVAILABLE' } },
  ];
  const fetch = vi.fn(async () => new Response(JSON.stringify({ errors }), { status: 503 }));
  vi.stubGlobal('fetch', fetch);
  const stop = follow();
  await expect
    .poll(() => feed.get())
    .toMatchObject({ status: 'connecting', error: '5 of 5 streams are open; please try again later' });
  fetch.mockImplementation(async () => new Response(new ReadableStream(), { status: 200 }));
  await expect.poll(() => feed.get()).toMatchObject({ status: 'live', error: undefined });
  stop();
});
