import { afterEach, expect, test, vi } from 'vitest';
import { environment } from '../../../../lib/environment.ts';
import { StreamMemory } from '../../../../lib/features/change-log/stream-memory.ts';

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
  expect(memory.bytes).toBe(60);
  for (const stream of streams) memory.release(object, stream);
  expect([memory.bytes, ended]).toEqual([0, []]);
});

test('the streams with the oldest objects end first, until the rest fits', () => {
  const memory = new StreamMemory(100);
  const { ended, streams } = openStreams(4);
  for (const stream of streams) memory.hold({}, 40, stream);
  expect([memory.bytes, ended]).toEqual([80, [0, 1]]);
});

test('a memory that is exactly full ends no stream, and has room up to its size', async () => {
  const memory = new StreamMemory(100);
  const { ended, streams } = openStreams(2);
  for (const stream of streams) memory.hold({}, 50, stream);
  await memory.waitForRoom(100, 60_000);
  expect([memory.bytes, ended]).toEqual([100, []]);
});

test('waitForRoom resolves when an object is released', async () => {
  const memory = new StreamMemory(100);
  const { ended, streams } = openStreams(1);
  const [object, stream] = [{}, streams[0] ?? { end() {} }];
  memory.hold(object, 60, stream);
  const waiting = memory.waitForRoom(50, 60_000);
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
  await memory.waitForRoom(50, 10_000);
  expect([memory.bytes, ended]).toEqual([30, [0, 1]]);
});
