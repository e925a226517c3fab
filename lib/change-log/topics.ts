import { createHash } from 'node:crypto';
import { TableName } from '../dynamodb/client.ts';

/**
 * Tells the log of a table from that of the table that it was restored from, which the restore contains, too: positions
 * and cursors of that log belong to another stream. Each table has another epoch, so nothing of the old log is read.
 */
export const EPOCH = createHash('sha256').update(TableName).digest('base64url').slice(0, 8);

/**
 * A topic is one log of changes. Its entries are read in the order of their positions, which are 40 digits.
 *
 * - The log of one user, and that of one author's posts: a position is a sequence number of the table's stream.
 * - The log of all users (`hasPredecessors`): a position is a number that `append` assigns, the time in ms or one more than the
 *   last, and each entry names its predecessor.
 */
export type Topic = { name: string; hasPredecessors: boolean };

export const userTopic = (id: string): Topic => ({ name: `${EPOCH}#USER#${id}`, hasPredecessors: false });
export const postsTopic = (authorId: string): Topic => ({ name: `${EPOCH}#POSTS#${authorId}`, hasPredecessors: false });
export const allUsers: Topic = { name: `${EPOCH}#USERS`, hasPredecessors: true };

/** Sequence numbers have up to 40 digits; padded, they sort as text. */
const DIGITS = 40;

export const formatPosition = (number: number | string) => String(number).padStart(DIGITS, '0');

/** It sorts before every entry. */
export const MIN_POSITION = formatPosition(0);

export const isPosition = (text: string) => text.length === DIGITS && /^\d*$/.test(text);

/** The clocks of a subscriber's environment and of `on-change` may differ by so many ms. */
const MAX_CLOCK_SKEW_MS = 5_000;

/** Finds a position before the changes from a time on, in ms. Sequence numbers hold no time, so those logs are read from their start. */
export const findStart = ({ hasPredecessors }: Topic, time: number): string =>
  hasPredecessors ? formatPosition(Math.max(0, time - MAX_CLOCK_SKEW_MS)) : MIN_POSITION;

/** Numbers can be ahead of the time, as each append raises them; an hour is more than any burst takes. */
const MAX_AHEAD_MS = 3_600_000;

/** Finds a position after every change up to a time, in ms. */
export const findEnd = ({ hasPredecessors }: Topic, time: number): string =>
  hasPredecessors ? formatPosition(time + MAX_AHEAD_MS) : '9'.repeat(DIGITS);
