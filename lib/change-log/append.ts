import { changeKey } from '../dynamodb/keys.ts';
import { TableName } from '../dynamodb/client.ts';
import { type TransactItem, transact } from '../dynamodb/transactions.ts';
import type { Change } from './change.ts';
import { nextUsersPosition, postsTopic, VISIBILITY_DELAY_MS, userTopic } from './topics.ts';

/** How long a subscriber may stay away and still go on where it was. */
export const RETENTION_SECONDS = 24 * 3600;

/**
 * Puts a change into the logs that subscribers read. Done again, it does nothing: the place in the entity's own log is
 * the stream's, so it is there already, and guards the one in the log of all users.
 */
export async function append({ entity, sequence, ...change }: Change): Promise<void> {
  const expiresAt = Math.floor(Date.now() / 1000) + RETENTION_SECONDS;
  const own = entity === 'user' ? userTopic(change.userId) : postsTopic(change.userId);
  const put = (partition: string, place: string): TransactItem => ({
    Put: {
      TableName,
      Item: { ...changeKey(partition, place), change, expiresAt },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  });
  // A place is a time: each attempt takes a new one, and is given up before that has settled without it.
  const writes = () => {
    const { partition, place } = nextUsersPosition();
    return { own: put(own.name, sequence), allUsers: entity === 'user' ? put(partition, place) : undefined };
  };
  await transact(writes, { attemptMs: VISIBILITY_DELAY_MS / 2 });
}
