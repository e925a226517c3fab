import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { type Item, parseSearchKey, searchKey } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import type { User } from '../schema.ts';
import { decodeCursor, encodeCursor, type Position } from './cursor.ts';
import { parseEntry } from './parse-entry.ts';
import { findIssue, listTexts, normalizeText, truncate } from './text.ts';

export type Search = { text: string; limit: number; after?: string | undefined };

/** `next` is the `after` of the next page, if there is one; `cursors` are those of the users. */
export type Matches = { users: User[]; cursors: string[]; next?: string };

/** Bounds what one page reads where many entries are of users who were shown before. */
const MAX_READ = 3_000;

/** Name and address of most people begin alike, and both match: one query must do. */
const ENTRIES_PER_MATCH = 2;

type Match = { user: User; cursor: string };

/**
 * Users who have a word, or the words from one on, that begins with the text, or whose email address begins with it,
 * sorted by what matched. Eventually consistent. A page may hold less than `limit` although another follows.
 * Throws BAD_USER_INPUT for a text that is too short or too long, and for what is no cursor of this search.
 */
export async function searchUsers({ text, limit, after }: Search): Promise<Matches> {
  const fault = findIssue(text);
  if (fault) throw invalidInput(['search'], fault);
  const normalized = normalizeText(text);
  let position = after === undefined ? undefined : decodeCursor(normalized, after);
  if (after !== undefined && !position) throw invalidInput(['after'], 'must be a cursor of this search');
  const matches: Match[] = [];
  for (let read = 0; matches.length <= limit && read < MAX_READ; ) {
    const { items, last } = await readEntries(normalized, position, Math.max(ENTRIES_PER_MATCH * limit + 1, read));
    matches.push(...items.flatMap((item) => findMatch(item, normalized)));
    position = last;
    if (!last) break;
    read += items.length;
  }
  const shown = matches.slice(0, limit);
  const next = matches.length > limit ? shown.at(-1)?.cursor : position && encodeCursor(position);
  return {
    users: shown.map(({ user }) => user),
    cursors: shown.map(({ cursor }) => cursor),
    ...(next ? { next } : {}),
  };
}

async function readEntries(normalized: string, after: Position | undefined, Limit: number) {
  const { pk, sk: start } = searchKey(truncate(normalized));
  const { Items: items = [], LastEvaluatedKey } = await table.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :start)',
      ExpressionAttributeValues: { ':pk': pk, ':start': start },
      ExclusiveStartKey: after && searchKey(after.text, after.id),
      Limit,
    }),
  );
  return { items, last: LastEvaluatedKey && parseSearchKey(LastEvaluatedKey.sk) };
}

/** A user is shown under the first of the texts that match, and not again under the others. */
function findMatch(item: Item, normalized: string): Match[] {
  const entry = parseEntry(item);
  const matching = entry && listTexts(entry.user).find((text) => text.startsWith(normalized));
  if (!entry || matching === undefined || truncate(matching) !== entry.text) return [];
  return [{ user: entry.user, cursor: encodeCursor({ text: entry.text, id: entry.user.id }) }];
}
