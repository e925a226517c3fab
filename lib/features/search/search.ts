import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { isUserId, userKey } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import { decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { normalizeText } from '../../input/normalized-text.ts';
import { sizes } from '../../sizes.ts';
import type { Criterion } from '../../users/criteria.ts';
import type { OnRead, UserPage } from '../../users/list.ts';
import { readUser, type User } from '../../users/user.ts';
import { listPlaces, listPrefixes, listTexts, parseSearchKey, searchKey, searchSortKey, truncate } from './entries.ts';
import { findIssue } from './text.ts';

/** Creates the criterion of a search. The text must be one that `findIssue` accepts. */
export function searchCriterion(text: string): Criterion {
  const normalized = normalizeText(text);
  return {
    parameters: { q: text },
    matches: (user) => listTexts(user).some((each) => each.startsWith(normalized)),
    driver: {
      kind: 'search',
      maxPage: MAX_PAGE,
      orderIssue: 'cannot be combined with a search without sort: its results are sorted by the matched text',
      findCursorIssue: (after) =>
        decodeSearchCursor(normalized, after) ? undefined : 'must be from a link to the next page of this search',
      async find({ after, limit, onRead }) {
        let read = 0;
        const count = (items: number) => {
          read += items;
          onRead(items);
        };
        const { users, cursors = [], next } = await searchUsers({ text, limit, after }, count);
        const found = users.map((user, at) => ({ user, cursor: cursors[at] ?? '' })); // There is one for each.
        return { users: found, next, read };
      },
    },
  };
}

type Search = { text: string; limit: number; after?: string | undefined };

/** A position in the results: the matched text, as far as keys hold it, and the user's id. */
export type SearchPosition = { text: string; id: string };

/** Users per page. Each one is read by id, so larger pages would exceed the time and the budget of a request. */
export const MAX_PAGE = 100;

/**
 * Finds users who have a word, or the words from one on, that begins with the text, or whose email address does, sorted by
 * the matched text. Sees a write at once; reads are eventually consistent. A page may hold fewer than `limit` users
 * although another follows. Throws BAD_USER_INPUT for a text that is too short or too long, and for a foreign cursor.
 */
export async function searchUsers({ text, limit, after }: Search, onRead: OnRead = () => {}): Promise<UserPage> {
  const issue = findIssue(text);
  if (issue) throw invalidInput(['search'], issue);
  const normalized = normalizeText(text);
  let position = after === undefined ? undefined : decodeSearchCursor(normalized, after);
  if (after !== undefined && !position) throw invalidInput(['after'], 'must be a cursor of this search');
  const size = Math.min(limit, MAX_PAGE);
  const found: Match[] = [];
  for (let read = 0; found.length <= size && read < sizes.searchReads; ) {
    const page = await readEntries(normalized, position, size + 1 - found.length);
    read += page.read;
    onRead(page.read + page.entries.length);
    found.push(...(await loadMatches(page.entries, normalized)));
    position = page.last;
    if (!position) break;
  }
  const shown = found.slice(0, size);
  const next = found.length > size ? shown.at(-1)?.cursor : position && encodeSearchCursor(position);
  return {
    users: shown.map(({ user }) => user),
    cursors: shown.map(({ cursor }) => cursor),
    ...(next ? { next } : {}),
  };
}

type Entry = SearchPosition & { prefix: string };

type Match = { user: User; cursor: string };

/** Reads the entries of all partitions in order, up to `last`. Some partitions may have more after it. */
async function readEntries(normalized: string, after: SearchPosition | undefined, limit: number) {
  const pages = await Promise.all(listPrefixes(normalized).map((prefix) => query(prefix, normalized, after, limit)));
  const entries = pages.flatMap((page) => page.entries).sort(comparePositions);
  const ends = pages.flatMap(({ last }) => last ?? []);
  // Later entries are read again: a partition may have others before them.
  const [end] = [...ends, ...entries.slice(limit - 1, limit)].sort(comparePositions);
  const read = entries.length;
  const isComplete = ends.length === 0 && entries.length <= limit;
  return {
    read,
    entries: end && !isComplete ? entries.filter((entry) => comparePositions(entry, end) <= 0) : entries,
    last: isComplete ? undefined : end,
  };
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
  const entries = Items.map(({ sk }): Entry => ({ ...parseSearchKey(sk), prefix }));
  return { entries, last: LastEvaluatedKey && parseSearchKey(LastEvaluatedKey.sk) };
}

/** Sorts like DynamoDB, which compares UTF-8 bytes. JavaScript compares UTF-16 units. */
const comparePositions = (one: SearchPosition, other: SearchPosition): number =>
  Buffer.compare(Buffer.from(searchSortKey(one.text, one.id)), Buffer.from(searchSortKey(other.text, other.id)));

/** Loads the users of entries by id, and drops those who do not match: an entry can be older than the user. */
async function loadMatches(entries: Entry[], normalized: string): Promise<Match[]> {
  const items = await getItems(entries.map(({ id }) => userKey(id)));
  const users = new Map(items.flatMap((item) => readUser(item) ?? []).map((user) => [user.id, user]));
  return entries.flatMap((entry) => {
    const user = users.get(entry.id);
    return user && matches(user, entry, normalized) ? [{ user, cursor: encodeSearchCursor(entry) }] : [];
  });
}

/** The user is found under the first matching text only, in the partition where it is stored. */
function matches(user: User, { prefix, text }: Entry, normalized: string): boolean {
  const matching = listTexts(user).find((each) => each.startsWith(normalized));
  if (matching === undefined || truncate(matching) !== text) return false;
  return listPlaces(user).some((place) => place.text === text && place.prefix === prefix);
}

export const encodeSearchCursor = ({ text, id }: SearchPosition): string => encodeCursor(searchSortKey(text, id));

/** Returns undefined for a text that is not a cursor of this search. */
export function decodeSearchCursor(normalized: string, cursor: string): SearchPosition | undefined {
  const content = decodeCursor(cursor);
  if (content === undefined) return undefined;
  const position = parseSearchKey(content);
  // Keys hold truncated texts; a longer one can exceed DynamoDB's key size.
  const isKey = truncate(position.text) === position.text;
  const isValid = isUserId(position.id) && isKey && position.text.startsWith(truncate(normalized));
  return isValid && searchSortKey(position.text, position.id) === content ? position : undefined;
}
