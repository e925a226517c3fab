import { createHash } from 'node:crypto';
import { TableName } from '../../dynamodb/client.ts';
import { parseAuthorId } from '../../dynamodb/keys.ts';
import { changeKey } from './keys.ts';

/**
 * Tells the log of a table from that of the table that it was restored from, which the restore contains, too: positions
 * and cursors of that log belong to another stream. Subscriptions follow the log of this table's epoch only; epochs.ts
 * finds those before, for what outlives a table.
 */
export const EPOCH = createHash('sha256').update(TableName).digest('base64url').slice(0, 8);

/**
 * A topic is what a subscriber follows. Positions in its log are 40 digits, in whose order it is read.
 *
 * - One user, and one author's posts, have a separate log: a position is a sequence number of the table's stream.
 * - All users are followed by the order log: a position is the number of an entry, which names its predecessor.
 */
export type Topic = { name: string; isOrderLog: boolean };

export const userTopic = (id: string, epoch = EPOCH): Topic => ({ name: `${epoch}#USER#${id}`, isOrderLog: false });
export const postsTopic = (authorId: string, epoch = EPOCH): Topic => ({
  name: `${epoch}#POSTS#${authorId}`,
  isOrderLog: false,
});
export const allUsers: Topic = { name: `${EPOCH}#ALL`, isOrderLog: true };

/** Finds the topic in whose log the changes of a user or post are. */
export function findTopic(id: string): Topic {
  const authorId = parseAuthorId(id);
  return authorId === undefined ? userTopic(id) : postsTopic(authorId);
}

/** Sequence numbers have up to 40 digits; padded, they sort as text. */
const DIGITS = 40;

export const formatPosition = (number: number | string) => String(number).padStart(DIGITS, '0');

/** Sorts before the position of every entry. */
export const MIN_POSITION = formatPosition(0);

/** Sorts after the position of every entry. */
export const MAX_POSITION = '9'.repeat(DIGITS);

export const isPosition = (text: string) => text.length === DIGITS && /^\d*$/.test(text);

/** The query for the entries of a topic's log after a position. */
export const queryAfter = ({ name }: Topic, after: string) => ({
  TableName,
  KeyConditionExpression: 'pk = :pk AND sk > :after',
  ExpressionAttributeValues: { ':pk': changeKey(name, after).pk, ':after': after },
});
