import * as z from 'zod';
import { invalid } from '../errors.ts';
import { SECONDS_KEPT } from './append.ts';
import type { Topic } from './topics.ts';

/** How far a subscriber has read a topic: all up to `floor`, and of what has not settled behind it, the `sent`. */
export type Cursor = {
  /** Changes before this time, in ms, are older than the subscription. */
  since: number;
  /** The time, in ms, of the change that the cursor came with. */
  at: number;
  floor: string;
  sent: string[];
};

const contents = z.tuple([z.string(), z.int(), z.int(), z.string()], z.string());

export const encode = ({ name }: Topic, { since, at, floor, sent }: Cursor): string =>
  Buffer.from(JSON.stringify([name, since, at, floor, ...sent])).toString('base64url');

/** Before the first change from a time on, in ms. */
export const from = (topic: Topic, time: number): Cursor => ({
  since: time,
  at: time,
  floor: topic.start(time),
  sent: [],
});

const time = z.iso.datetime({ offset: true });

/**
 * Takes a time, too: who has had no change yet has no cursor, and goes on from when it began.
 * Throws `invalid` for what is no cursor of this topic, or so old that changes behind it are gone.
 */
export function decode(topic: Topic, text: string): Cursor {
  const cursor = time.safeParse(text).success ? from(topic, Date.parse(text)) : read(topic, text);
  if (cursor.at < Date.now() - SECONDS_KEPT * 1000)
    throw invalid(['after'], 'after: changes are kept for 24 hours, and this is older; read anew, then subscribe');
  return cursor;
}

function read(topic: Topic, text: string): Cursor {
  const result = contents.safeParse(json(Buffer.from(text, 'base64url').toString()));
  if (!result.success || result.data[0] !== topic.name)
    throw invalid(['after'], 'after: must be a cursor of this subscription');
  const [, since, at, floor, ...sent] = result.data;
  return { since, at, floor, sent };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
