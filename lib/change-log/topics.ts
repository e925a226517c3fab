import { v7 as uuidv7 } from 'uuid';

/**
 * A topic is a log of changes, each at a place; places are read in their order.
 *
 * The changes of one user, or of one author's posts, lie below one partition key of the table. Its stream delivers
 * them in order and to one consumer at a time, so their places are the stream's sequence numbers: final once written.
 * The log of all users is written by many consumers at once. Its places are times (UUIDv7), and one may become
 * visible behind a later one, until it has settled.
 */
export type Topic = {
  name: string;
  /** The partitions from a place up to now, in order. */
  partitions(from: string, now: number): string[];
  /** No place up to this one can become visible any more. */
  stableUpTo(now: number): string;
  /** A place before every change that can become visible from a time on. */
  start(time: number): string;
  /** Whether a text may be such a place, or that of a change before now. */
  isWatermark(text: string, now: number): boolean;
};

/** How long, in ms, a change may take from getting its place to being visible. */
export const VISIBILITY_DELAY_MS = 5_000;

const BEHIND_ALL = '~';

const orderedByStream = (name: string): Topic => ({
  name,
  partitions: () => [name],
  stableUpTo: () => BEHIND_ALL,
  start: () => '',
  isWatermark: (text) => /^(\d{40})?$/.test(text),
});

export const userTopic = (id: string) => orderedByStream(`USER#${id}`);
export const postsTopic = (authorId: string) => orderedByStream(`POSTS#${authorId}`);

const HOUR = 3_600_000;
const bucket = (time: number) => `USERS#${new Date(time).toISOString().slice(0, 13)}`;

/** RFC 9562 section 5.7: the first 48 bits are the milliseconds since 1970. */
const timeOf = (place: string) => Number.parseInt(place.replace('-', '').slice(0, 12), 16);
const placeAt = (time: number) => time.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-');

export const allUsers: Topic = {
  name: 'USERS',
  partitions(from, now) {
    const first = Math.floor(timeOf(from) / HOUR);
    const count = Math.floor(now / HOUR) - first + 1;
    return Array.from({ length: count }, (_, hour) => bucket((first + hour) * HOUR));
  },
  stableUpTo: (now) => placeAt(now - VISIBILITY_DELAY_MS),
  start: (time) => placeAt(time - VISIBILITY_DELAY_MS),
  isWatermark: (text, now) =>
    /^[0-9a-f]{8}-[0-9a-f]{4}(-[0-9a-f-]*)?$/.test(text) && timeOf(text) <= now + VISIBILITY_DELAY_MS,
};

/** A new place in the log of all users, and its partition. */
export function nextUsersPosition(): { partition: string; place: string } {
  const place = uuidv7();
  return { partition: bucket(timeOf(place)), place };
}

/** The random end of a place tells it from others of the same seconds (RFC 9562 section 6.9): 48 bits, packed. */
export const idSuffix = (place: string) => place.slice(-TAIL_DIGITS);
const TAIL_DIGITS = 12;

export const packSuffixes = (tails: Set<string>): string =>
  Buffer.from([...tails].join(''), 'hex').toString('base64url');

export function unpackSuffixes(packed: string): Set<string> {
  const digits = Buffer.from(packed, 'base64url').toString('hex');
  return new Set(digits.match(new RegExp(`.{${TAIL_DIGITS}}`, 'g')) ?? []);
}
