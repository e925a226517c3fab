import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { DIRECTORY, userIdOf, userKey } from '../keys.ts';
import { TableName, table } from '../table.ts';
import { parseUser, type User } from './schema.ts';

/** A place in the directory: behind the user of that id, who may be gone. Undefined: before the first. */
export type Place = string | undefined;

const behind = (place: Place) => ({
  TableName,
  IndexName: 'directory',
  KeyConditionExpression: place ? 'directory = :directory AND pk > :pk' : 'directory = :directory',
  ExpressionAttributeValues: { ':directory': DIRECTORY, ...(place ? { ':pk': userKey(place).pk } : {}) },
});

/** One query after the other, as DynamoDB ends each at 1 MB. */
async function* queries(input: QueryCommandInput) {
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
  do {
    const page = await table.send(new QueryCommand({ ...input, ExclusiveStartKey }));
    yield page;
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

/** Up to `limit` users behind a place, oldest first, and whether more follow. */
export async function usersBehind(place: Place, limit: number): Promise<{ users: User[]; more: boolean }> {
  const users: User[] = [];
  for await (const { Items = [] } of queries({ ...behind(place), Limit: limit + 1 })) {
    users.push(...Items.map(parseUser));
    if (users.length > limit) break;
  }
  return { users: users.slice(0, limit), more: users.length > limit };
}

/** How many users are behind a place. */
export async function countBehind(place: Place): Promise<number> {
  let count = 0;
  for await (const { Count = 0 } of queries({ ...behind(place), Select: 'COUNT' })) count += Count;
  return count;
}

/** The place `distance` users on; null where there are fewer. Reads all that it passes. */
export async function skip(place: Place, distance: number): Promise<Place | null> {
  let [here, left] = [place, distance];
  while (left > 0) {
    const { Count = 0, LastEvaluatedKey } = await table.send(
      new QueryCommand({ ...behind(here), Select: 'COUNT', Limit: left }),
    );
    if (!LastEvaluatedKey) return null;
    here = userIdOf(LastEvaluatedKey.pk);
    left -= Count;
  }
  return here;
}
