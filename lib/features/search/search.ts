import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { type Item, isUserId, type Key, userKey } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import { decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { sizes } from '../../sizes.ts';
import type { OnRead, Selection, UserPage } from '../../users/list.ts';
import { readUser, type User } from '../../users/schema.ts';
import { parseSearchKey, searchKey, searchSortKey } from './keys.ts';
import { listPlaces, listPrefixes, listTexts, truncate } from './places.ts';
import { findIssue, normalizeText } from './text.ts';

/** Selects the users that a search finds. */
export const selectMatches = (text: string): Selection => ({
  parameters: { q: text },
  list: ({ limit, after }, onRead) => searchUsers({ text, limit, after }, onRead),
});

type Search = { text: string; limit: number; after?: string | undefined };

type Match = { user: User; cursor: string };

/**
 * Users who have a word, or the words from one on, that begins with the text, or whose email address begins with it,
 * sorted by what matched. Eventually consistent. A page may hold less than `limit` although another follows.
 * Throws BAD_USER_INPUT for a text that is too short or too long, and for what is no cursor of this search.
 */
export async function searchUsers({ text, limit, after }: Search, onRead: OnRead = () => {}): Promise<UserPage> {
  const issue = findIssue(text);
  if (issue) throw invalidInput(['search'], issue);
  const normalized = normalizeText(text);
  let position = after === undefined ? undefined : decodeSearchCursor(normalized, after);
  if (after !== undefined && !position) throw invalidInput(['after'], 'must be a cursor of this search');
  const matches: Match[] = [];
  for (let read = 0; matches.length <= limit && read < sizes.searchReads; ) {
    const page = await readEntries(normalized, position, Math.max(limit + 1, read));
    read += page.read;
    onRead(page.read);
    matches.push(...page.items.flatMap((item) => findMatch(item, normalized)));
    position = page.last;
    if (!position) break;
  }
  const shown = matches.slice(0, limit);
  const next = matches.length > limit ? shown.at(-1)?.cursor : position && encodeSearchCursor(position);
  return {
    users: shown.map(({ user }) => user),
    cursors: shown.map(({ cursor }) => cursor),
    ...(next ? { next } : {}),
  };
}

/** The entries of all partitions in their order, up to `last`: some partitions may have more after it. */
async function readEntries(normalized: string, after: SearchPosition | undefined, limit: number) {
  const pages = await Promise.all(listPrefixes(normalized).map((prefix) => query(prefix, normalized, after, limit)));
  const last = pages.flatMap(({ last }) => last ?? []).sort(compareBytes)[0];
  const items = pages
    .flatMap(({ items }) => items)
    .filter(({ sk }) => last === undefined || compareBytes(sk, last) <= 0)
    .sort((one, other) => compareBytes(one.sk, other.sk));
  const read = pages.reduce((sum, { items }) => sum + items.length, 0);
  return { items, read, last: last === undefined ? undefined : parseSearchKey(last) };
}

async function query(prefix: string, normalized: string, after: SearchPosition | undefined, Limit: number) {
  const { pk, sk: start } = searchKey(prefix, truncate(normalized));
  const { Items = [], LastEvaluatedKey } = await table.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :start)',
      ExpressionAttributeValues: { ':pk': pk, ':start': start },
      ExclusiveStartKey: after && searchKey(prefix, after.text, after.id),
      Limit,
    }),
  );
  // Every item has a key.
  return { items: Items as (Item & Key)[], last: LastEvaluatedKey?.sk as string | undefined };
}

/** Sorts as DynamoDB does. JavaScript compares units of UTF-16. */
const compareBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** A user is shown under the first text that matches, if texts differ only after their prefixes. */
function findMatch(item: Item & Key, normalized: string): Match[] {
  const entry = parseSearchEntry(item);
  const matching = entry && listTexts(entry.user).find((text) => text.startsWith(normalized));
  if (!entry || matching === undefined || truncate(matching) !== entry.text || !isPlaced(item, entry)) return [];
  return [{ user: entry.user, cursor: encodeSearchCursor({ text: entry.text, id: entry.user.id }) }];
}

/** What was written when other fields were searched stands where the user has no text any more. */
const isPlaced = ({ pk }: Item, { text, user }: { text: string; user: User }) =>
  listPlaces(user).some((place) => place.text === text && searchKey(place.prefix, text).pk === pk);

/** An entry stands here in the index. */
export type SearchPosition = { text: string; id: string };

export const encodeSearchCursor = ({ text, id }: SearchPosition): string => encodeCursor(searchSortKey(text, id));

/** Returns undefined for what is no cursor of this search. */
export function decodeSearchCursor(normalized: string, cursor: string): SearchPosition | undefined {
  const content = decodeCursor(cursor);
  if (content === undefined) return undefined;
  const position = parseSearchKey(content);
  // Keys hold truncated texts; a longer one can exceed DynamoDB's key size.
  const isKey = truncate(position.text) === position.text;
  const isValid = isUserId(position.id) && isKey && position.text.startsWith(truncate(normalized));
  return isValid && searchSortKey(position.text, position.id) === content ? position : undefined;
}

/** Returns undefined for the marker of a deleted entry, and for an entry that was damaged by hand. */
function parseSearchEntry({ sk, ...item }: Item & Key): { text: string; user: User } | undefined {
  const { text, id } = parseSearchKey(sk);
  const times = { createdAt: formatTime(item.createdAt), updatedAt: formatTime(item.updatedAt) };
  const user = readUser({ ...item, ...userKey(id), ...times });
  return user && { text, user };
}

const formatTime = (ms: unknown) => (typeof ms === 'number' ? new Date(ms).toISOString() : undefined);
