import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { DIRECTORY, userIdOf, userKey } from '../dynamodb/keys.ts';
import { TableName, table } from '../dynamodb/client.ts';
import { parseUser, type User } from './schema.ts';

/** A place in the directory: behind the user of that id, who may be gone. Undefined: before the first. */
export type Place = string | undefined;

/** The users behind a place, up to and with the one of the id `last`, if that is given. */
const range = (place: Place, last?: string): QueryCommandInput => ({
  TableName,
  IndexName: 'directory',
  KeyConditionExpression: last ? 'directory = :directory AND pk <= :last' : 'directory = :directory',
  ExpressionAttributeValues: { ':directory': DIRECTORY, ...(last ? { ':last': userKey(last).pk } : {}) },
  ExclusiveStartKey: place ? { directory: DIRECTORY, ...userKey(place) } : undefined,
});

/** One query after the other, as DynamoDB ends each at 1 MB. */
async function* queries(input: QueryCommandInput) {
  let ExclusiveStartKey = input.ExclusiveStartKey;
  do {
    const page = await table.send(new QueryCommand({ ...input, ExclusiveStartKey }));
    yield page;
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

/** Above this many it is cheaper to count past users than to fetch them. */
const MAX_INLINE_SKIP = 100;

/** Up to `limit` users, oldest first, from `passing` users behind a place on; and whether more follow. */
export async function queryUsers(place: Place, limit: number, passing = 0): Promise<{ users: User[]; more: boolean }> {
  if (passing > MAX_INLINE_SKIP) {
    const start = await skipUsers(place, passing);
    return start === null ? { users: [], more: false } : queryUsers(start, limit);
  }
  const items: unknown[] = [];
  const wanted = passing + limit;
  for await (const { Items = [] } of queries({ ...range(place), Limit: wanted + 1 })) {
    items.push(...Items);
    if (items.length > wanted) break;
  }
  return { users: items.slice(passing, wanted).map(parseUser), more: items.length > wanted };
}

/** The ids of up to `limit` users behind a place, up to and with the id `last`. */
export async function queryUserIds(place: Place, last: string, limit = Number.POSITIVE_INFINITY): Promise<string[]> {
  const ids: string[] = [];
  const Limit = Number.isFinite(limit) ? limit : undefined;
  for await (const { Items = [] } of queries({ ...range(place, last), Limit, ProjectionExpression: 'pk' })) {
    ids.push(...Items.map(({ pk }) => userIdOf(pk)));
    if (ids.length >= limit) break;
  }
  return ids.slice(0, limit);
}

/** More than fit into the 1 MB that a query reads; a page's number may ask for more than an integer of DynamoDB holds. */
const MAX_IN_A_QUERY = 100_000;

/** How many users are behind a place. */
export async function countUsersAfter(place: Place): Promise<number> {
  let count = 0;
  for await (const { Count = 0 } of queries({ ...range(place), Select: 'COUNT' })) count += Count;
  return count;
}

/** The place `distance` users on; null where there are fewer. Reads all that it passes. */
export async function skipUsers(place: Place, distance: number): Promise<Place | null> {
  let [here, left] = [place, distance];
  while (left > 0) {
    const { Count = 0, LastEvaluatedKey } = await table.send(
      new QueryCommand({ ...range(here), Select: 'COUNT', Limit: Math.min(left, MAX_IN_A_QUERY) }),
    );
    if (!LastEvaluatedKey) return null;
    here = userIdOf(LastEvaluatedKey.pk);
    left -= Count;
  }
  return here;
}
