import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import DataLoader from 'dataloader';
import { isUserId, userKey } from '../keys.ts';
import { TableName, table, untilDone } from '../table.ts';
import { findUser } from '../users/get.ts';
import { parseUser, type User } from '../users/schema.ts';
import type { Access } from './access.ts';

/** What one request carries. Its loader reads each user once, and many at a time. */
export type Context = { access: Access; users: DataLoader<string, User | undefined> };

/** DynamoDB's most keys in one BatchGetItem. */
const MOST_KEYS = 100;

export const contextOf = (access: Access): Context => ({
  access,
  users: new DataLoader(findUsers, { maxBatchSize: MOST_KEYS }),
});

async function findUsers(ids: readonly string[]): Promise<(User | undefined)[]> {
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0) return [await findUser(only)];
  const found = new Map<string, User>();
  let Keys = ids.filter(isUserId).map(userKey);
  await untilDone(async () => {
    if (Keys.length === 0) return true;
    const { Responses = {}, UnprocessedKeys = {} } = await table.send(
      new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
    );
    for (const user of (Responses[TableName] ?? []).map(parseUser)) found.set(user.id, user);
    Keys = (UnprocessedKeys[TableName]?.Keys ?? []) as typeof Keys;
    return Keys.length === 0 ? true : undefined;
  });
  return ids.map((id) => found.get(id));
}
