import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { isUserId } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import { decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { sizes } from '../../sizes.ts';
import { type Criterion, type DriverQuery, type Found, type FoundUser, getUsersByIds } from '../../users/criteria.ts';
import type { OnRead } from '../../users/list.ts';
import { findUser } from '../../users/read.ts';
import type { User } from '../../users/user.ts';
import {
  listIndexedTexts,
  listRanges,
  listTexts,
  parseSearchKey,
  type Range,
  searchKey,
  searchPartition,
  searchSortKey,
  type Texts,
  truncate,
} from './entries.ts';
import { parseSearch, type SearchQuery } from './query.ts';

/** Throws BAD_USER_INPUT for a text that is too short, too long or malformed. */
export function searchCriterion(text: string): Criterion {
  const { query, issue } = parseSearch(text);
  if (!query) throw invalidInput(['search'], issue);
  return {
    parameters: { q: text },
    matches: (user) => user.id === query.id || matches(listTexts(user), query),
    driver: {
      kind: 'search',
      maxPage: MAX_PAGE,
      orderIssue: 'cannot be combined with a search without sort: its results are sorted by the matched text',
      findCursorIssue: (after) =>
        decodeSearchCursor(query, after) ? undefined : 'must be from a link to the next page of this search',
      find: (page) => searchUsers(query, page),
    },
  };
}

type SearchPosition = { stage: number; text: string; id: string };

/** Maximum users per page. Larger pages would exceed a request's time and budget, because each user is read by id. */
const MAX_PAGE = 100;

/**
 * Finds users who match every typed word, sorted by the matched text. Users with the words in the typed order come
 * first. Eventually consistent. A page may hold fewer than `limit` users although more follow.
 */
async function searchUsers(query: SearchQuery, { after, limit, onRead }: DriverQuery): Promise<Found> {
  const position = after === undefined ? undefined : decodeSearchCursor(query, after);
  const withId = query.id !== undefined && !position ? await findById(query.id, onRead) : undefined;
  if (withId) return { users: [withId], next: undefined };
  const users: FoundUser[] = [];
  for (let stage = position?.stage ?? 0; stage < query.stages.length; stage++) {
    const from = position?.stage === stage ? position : undefined;
    const page = await readStage(query, stage, from, limit - users.length, onRead);
    users.push(...page.users);
    if (page.next !== undefined) return { users, next: page.next };
    // The page is full, but a later stage may find more users.
    if (users.length === limit && stage + 1 < query.stages.length) return { users, next: users.at(-1)?.cursor };
  }
  return { users, next: undefined };
}

type Entry = { text: string; id: string; prefix: string };

async function findById(id: string, onRead: OnRead): Promise<FoundUser | undefined> {
  onRead(1);
  const user = await findUser(id);
  return user && { user, cursor: encodeSearchCursor({ stage: 0, text: id, id }) };
}

async function readStage(
  query: SearchQuery,
  stage: number,
  after: SearchPosition | undefined,
  size: number,
  onRead: OnRead,
): Promise<Found> {
  // The last stage of several words finds users by one word, and most may not match the others.
  const isFiltered = query.words.length > 1 && stage === query.stages.length - 1;
  const users: FoundUser[] = [];
  let position = after;
  let entriesRead = 0;
  while (users.length < size && entriesRead < sizes.searchReads) {
    const limit = isFiltered ? sizes.searchReads : size - users.length;
    const page = await readEntries(query.stages[stage] ?? [], position, limit);
    entriesRead += page.read;
    // Each entry of the page costs another read, of its user.
    onRead(page.read + page.entries.length);
    users.push(...(await loadMatches(page.entries, query, stage)));
    position = page.last && { stage, ...page.last };
    if (!position) break;
  }
  if (users.length > size) return { users: users.slice(0, size), next: users[size - 1]?.cursor };
  return { users, next: position && encodeSearchCursor(position) };
}

type EntryPosition = Pick<Entry, 'text' | 'id'>;

async function readEntries(starts: string[], after: EntryPosition | undefined, limit: number) {
  const pages = await Promise.all(starts.flatMap(listRanges).map((range) => queryRange(range, after, limit + 1)));
  const entries = pages.flatMap((page) => page.entries).sort(comparePositions);
  const ends = pages.flatMap(({ last }) => last ?? []);
  // Leave entries after `end` for the next call: another range may have unread entries before them.
  const [end] = [...ends, ...entries.slice(limit - 1, limit)].sort(comparePositions);
  const read = entries.length;
  const isComplete = ends.length === 0 && entries.length <= limit;
  return {
    read,
    entries: end && !isComplete ? entries.filter((entry) => comparePositions(entry, end) <= 0) : entries,
    last: isComplete ? undefined : end,
  };
}

async function queryRange({ prefix, start }: Range, after: EntryPosition | undefined, Limit: number) {
  const isWithin = after?.text.startsWith(start);
  // Earlier pages have read all entries of this range.
  if (after && !isWithin && comparePositions({ text: start, id: '' }, after) < 0)
    return { entries: [], last: undefined };
  const { Items = [], LastEvaluatedKey } = await table.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :start)',
      ExpressionAttributeValues: { ':pk': searchPartition(prefix), ':start': start },
      ExclusiveStartKey: after && isWithin ? searchKey(prefix, after.text, after.id) : undefined,
      Limit,
    }),
  );
  const entries = Items.map(({ sk }): Entry => ({ ...parseSearchKey(sk), prefix }));
  return { entries, last: LastEvaluatedKey && parseSearchKey(LastEvaluatedKey.sk) };
}

/** Compares positions by UTF-8 bytes, like DynamoDB. */
const comparePositions = (one: EntryPosition, other: EntryPosition): number =>
  Buffer.compare(Buffer.from(searchSortKey(one.text, one.id)), Buffer.from(searchSortKey(other.text, other.id)));

/** Loads the users of entries. Skips users who no longer match, because entries may be outdated. */
async function loadMatches(entries: Entry[], query: SearchQuery, stage: number): Promise<FoundUser[]> {
  const users = await getUsersByIds(entries.map(({ id }) => id));
  return entries.flatMap((entry) => {
    const user = users.get(entry.id);
    return user && isFoundBy(user, entry, query, stage)
      ? [{ user, cursor: encodeSearchCursor({ stage, ...entry }) }]
      : [];
  });
}

/**
 * True if this entry shows the user. Several entries may match: only the first matching text in the first matching
 * stage counts.
 */
function isFoundBy(user: User, { prefix, text }: Entry, query: SearchQuery, stage: number): boolean {
  const texts = listTexts(user);
  const isInStage = (starts: string[]) => findBeginning(texts.indexed, starts) !== undefined;
  if (!matches(texts, query) || query.stages.slice(0, stage).some(isInStage)) return false;
  const matching = findBeginning(texts.indexed, query.stages[stage] ?? []);
  if (matching === undefined || truncate(matching) !== text) return false;
  return listIndexedTexts(user).some((indexed) => indexed.text === text && indexed.prefix === prefix);
}

function matches({ indexed, short }: Texts, { words, stages }: SearchQuery): boolean {
  const isIn = (texts: string[]) => (starts: string[]) => findBeginning(texts, starts) !== undefined;
  return words.every(isIn([...indexed, ...short])) && stages.some(isIn(indexed));
}

const findBeginning = (texts: string[], starts: string[]): string | undefined =>
  texts.find((text) => starts.some((start) => text.startsWith(start)));

/** The stage is one digit: a search has at most two. */
export const encodeSearchCursor = ({ stage, text, id }: SearchPosition): string =>
  encodeCursor(`${stage}${searchSortKey(text, id)}`);

function decodeSearchCursor({ stages }: SearchQuery, cursor: string): SearchPosition | undefined {
  const content = decodeCursor(cursor);
  if (content === undefined) return undefined;
  const position = { stage: Number(content[0]), ...parseSearchKey(content.slice(1)) };
  // Reject longer texts, which could exceed DynamoDB's key size.
  const isKey = truncate(position.text) === position.text;
  const starts = stages[position.stage] ?? [];
  const isInStage = starts.some((start) => position.text.startsWith(truncate(start)));
  return isUserId(position.id) && isKey && isInStage && encodeSearchCursor(position) === cursor ? position : undefined;
}
