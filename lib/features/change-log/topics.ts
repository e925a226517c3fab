import { createHash } from 'node:crypto';
import { TableName } from '../../dynamodb/client.ts';
import { parseAuthorId } from '../../dynamodb/keys.ts';
import { changeKey } from './keys.ts';

/**
 * Names this table's change log. A restored table also contains its source's log, with positions of another stream.
 * Subscriptions follow only this epoch, histories and erasures also former ones.
 */
export const EPOCH = createHash('sha256').update(TableName).digest('base64url').slice(0, 8);

/**
 * Positions have 40 digits. For one user's changes or one author's posts, they are sequence numbers of the table's
 * stream. For all users, they are entry numbers of the order log.
 */
export type Topic = { name: string; isOrderLog: boolean };

export const userTopic = (id: string, epoch = EPOCH): Topic => ({ name: `${epoch}#USER#${id}`, isOrderLog: false });
export const postsTopic = (authorId: string, epoch = EPOCH): Topic => ({
  name: `${epoch}#POSTS#${authorId}`,
  isOrderLog: false,
});
export const orderLog = (epoch: string): Topic => ({ name: `${epoch}#ALL`, isOrderLog: true });
export const allUsers: Topic = orderLog(EPOCH);

export function findTopic(id: string, epoch = EPOCH): Topic {
  const authorId = parseAuthorId(id);
  return authorId === undefined ? userTopic(id, epoch) : postsTopic(authorId, epoch);
}

/** Padded, so that sequence numbers sort as text. */
const DIGITS = 40;

export const formatPosition = (number: number | string) => String(number).padStart(DIGITS, '0');

export const MIN_POSITION = formatPosition(0);

export const MAX_POSITION = '9'.repeat(DIGITS);

export const isPosition = (text: string) => text.length === DIGITS && /^\d*$/.test(text);

export const queryAfter = ({ name }: Topic, after: string) => ({
  TableName,
  KeyConditionExpression: 'pk = :pk AND sk > :after',
  ExpressionAttributeValues: { ':pk': changeKey(name, after).pk, ':after': after },
});
