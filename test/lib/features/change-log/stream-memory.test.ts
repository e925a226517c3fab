import { afterEach, expect, test, vi } from 'vitest';
import { environment } from '../../../../lib/environment.ts';
import { SlowClient } from '../../../../lib/errors.ts';
import { LiveReader } from '../../../../lib/features/change-log/live-reader.ts';
import { acquireEvent } from '../../../../lib/features/change-log/sse/shared-events.ts';
import { StreamMemory } from '../../../../lib/features/change-log/stream-memory.ts';
import { live } from '../../../../lib/features/change-log/subscribe.ts';
import { allUsers } from '../../../../lib/features/change-log/topics.ts';
import { append, newChange } from './changes.ts';

afterEach(() => void vi.restoreAllMocks());

function openStreams(count: number) {
  const ended: number[] = [];
  return { ended, streams: Array.from({ length: count }, (_, at) => ({ end: () => void ended.push(at) })) };
}

test('an object held by many streams counts once, until the last one releases it', () => {
  const memory = new StreamMemory(100);
  const { ended, streams } = openStreams(10);
  const object = {};
  for (const stream of streams) memory.hold(object, 60, stream);
  for (const stream of streams) {
    expect(memory.isHeld(object)).toBe(true);
    memory.release(object, stream);
  }
  expect(memory.isHeld(object)).toBe(false);
  memory.hold({}, 100, { end() {} });
  expect(ended).toEqual([]);
});

test('the streams with the oldest objects end first, until the rest fits', () => {
  const memory = new StreamMemory(100);
  const { ended, streams } = openStreams(4);
  const objects = [{}, {}, {}, {}];
  for (const [at, object] of objects.entries()) memory.hold(object, 40, streams[at] ?? { end() {} });
  expect(ended).toEqual([0, 1]);
  expect(objects.map((object) => memory.isHeld(object))).toEqual([false, false, true, true]);
});

test('a memory that is exactly full ends no stream, and has room up to three quarters', async () => {
  const memory = new StreamMemory(100);
  const { ended, streams } = openStreams(2);
  const [one, other] = [{}, {}];
  memory.hold(one, 75, streams[0] ?? { end() {} });
  await memory.waitForRoom();
  memory.hold(other, 25, streams[1] ?? { end() {} });
  expect(ended).toEqual([]);
});

test('waitForRoom resolves when an object is released', async () => {
  const memory = new StreamMemory(100);
  const { ended, streams } = openStreams(1);
  const [object, stream] = [{}, streams[0] ?? { end() {} }];
  memory.hold(object, 76, stream);
  const waiting = memory.waitForRoom();
  memory.release(object, stream);
  await waiting;
  expect(ended).toEqual([]);
});

test('waitForRoom ends the streams with the oldest objects after the time limit', async () => {
  const memory = new StreamMemory(100);
  const { ended, streams } = openStreams(3);
  for (const stream of streams) memory.hold({}, 30, stream);
  let time = 0;
  vi.spyOn(environment, 'elapsed').mockImplementation(() => (time += 6_000));
  await memory.waitForRoom();
  expect(ended).toEqual([0]);
});

test('changes and events of a process have one limit, in bytes', async () => {
  const reader = new LiveReader(new StreamMemory(1_600));
  live.reader = reader;
  const stop = new AbortController();
  const stream = await reader.open(allUsers, stop.signal);
  const id = crypto.randomUUID();
  await append([newChange(id, { item: { pk: `USER#${id}`, name: 'é'.repeat(400) } })]);
  await reader.poll();
  const end = vi.fn();
  await acquireEvent('key', { end }, async () => ({ text: 'x'.repeat(500) }));
  await expect(stream.take()).rejects.toThrow(SlowClient);
  expect(end).not.toHaveBeenCalled();
  stop.abort();
});
