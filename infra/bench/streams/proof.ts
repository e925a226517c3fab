import { split } from '../../../lib/dynamodb/batch.ts';
import type { Phase } from './measure.ts';

export type Claim = { holds: boolean; text: string };

const SECONDS_PER_MINUTE = 60;
/** Memory in the last minute, divided by memory in the second minute. */
const MAX_GROWTH = 1.2;
/** Actual writing time, divided by the expected one. */
const MAX_DELAY = 1.05;
const UNITS_PER_CHANGE = 0.5;
/** Actual read units, divided by the expected ones. A repeated poll reads its changes again. */
const TOLERANCE = 1.01;

const count = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 0 });

/** Evaluates a measurement of one process, with a different user per stream and one sample of `memory` per second. */
export function listClaims(
  phase: Phase,
  expected: { rate: number; seconds: number; streams: number; streamSeconds: number },
): Claim[] {
  const { violations, changes, seconds, writingSeconds, resumed, traffic, memory } = phase;
  const minutes = split(memory.slice(0, expected.seconds), SECONDS_PER_MINUTE).map(
    (minute) => Math.max(...minute) / 2 ** 20,
  );
  const [second = Number.NaN, last = Number.NaN] = [minutes[1], minutes.at(-1)];
  const ends = Math.floor(expected.seconds / expected.streamSeconds);
  const [polls, units] = [traffic.order.requests / seconds, traffic.contents.units];
  return [
    {
      holds: violations.length === 0 && changes === expected.rate * expected.seconds,
      text: `Each of ${count(changes)} changes arrived once at the stream of its user, in order, and nothing else did: ${violations.length} violations.`,
    },
    {
      holds: writingSeconds <= MAX_DELAY * expected.seconds,
      text: `Writing took ${writingSeconds.toFixed(0)} s, at most ${(MAX_DELAY * expected.seconds).toFixed(0)} s.`,
    },
    {
      holds: resumed >= ends * expected.streams,
      text: `Streams ended after ${expected.streamSeconds} s and were resumed ${count(resumed)} times, at least ${count(ends * expected.streams)} times.`,
    },
    {
      holds: last <= MAX_GROWTH * second,
      text: `Memory (RSS) was at most ${second.toFixed(0)} MB in the second minute and ${last.toFixed(0)} MB in the last, at most ${MAX_GROWTH} times as much.`,
    },
    {
      holds: polls <= 1,
      text: `The order log was read ${polls.toFixed(2)} times a second, at most once.`,
    },
    {
      holds: units <= TOLERANCE * UNITS_PER_CHANGE * changes,
      text: `Changes were read with ${count(units)} units, at most ${count(TOLERANCE * UNITS_PER_CHANGE * changes)}: each once.`,
    },
  ];
}
