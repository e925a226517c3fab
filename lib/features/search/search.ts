import { isUserId } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import { decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { sizes } from '../../sizes.ts';
import type { Candidate, Criterion, DriverQuery, Found } from '../../users/criteria.ts';
import type { OnRead } from '../../users/directory.ts';
import { MAX_PAGE, queryEntries } from '../../users/entries.ts';
import { compareKeys, END, formatEntryKey, parseEntryKey, truncate } from '../../users/entry-keys.ts';
import { findUser } from '../../users/read.ts';
import type { User } from '../../users/user.ts';
import { listIndexedTexts, listRanges, listTexts, type Range, searchPartition, type Texts } from './entries.ts';
import { parseSearch, type SearchQuery } from './query.ts';

/** Throws BAD_USER_INPUT for a text that is too short, too long or malformed. */
export function searchCriterion(text: string): Criterion {
  const { query, issue } = parseSearch(text);
  if (!query) throw invalidInput(['search'], issue);
  return {
    parameters: { q: text },
    matches: (user) => user.id === query.id || matchesTexts(listTexts(user), query),
    driver: {
      kind: 'search',
      maxPage: MAX_PAGE,
      isSelective: query.words.length > 1,
      orderIssue: 'cannot be combined with a search without sort: its results are sorted by the matched text',
      findCursorIssue: (after) =>
        decodeSearchCursor(query, after) ? undefined : 'must be from a link to the next page of this search',
      open: (start) => openSearch(query, start),
    },
  };
}

type Position = { stage: number; sk: string };

/**
 * Finds users who match every typed word, sorted by the matched text. Users with the words in the typed order come
 * first. Eventually consistent.
 */
function openSearch(query: SearchQuery, { after, onRead }: DriverQuery): (limit: number) => Promise<Found> {
  const start = after === undefined ? undefined : decodeSearchCursor(query, after);
  let { stage, sk } = { stage: 0, sk: undefined, ...start } as { stage: number; sk: string | undefined };
  let isFirst = start === undefined;
  return async function readCandidates(limit) {
    const withId = isFirst && query.id !== undefined ? await findById(query.id, onRead) : undefined;
    if (withId) return { candidates: [withId], next: undefined };
    isFirst = false;
    const candidates: Candidate[] = [];
    for (; stage < query.stages.length; stage++, sk = undefined) {
      // Another stage may find more users.
      if (candidates.length >= limit) return { candidates, next: candidates.at(-1)?.cursor };
      // The last stage of several words finds users by one word, and most may not match the others.
      const isFiltered = query.words.length > 1 && stage === query.stages.length - 1;
      const size = isFiltered ? sizes.searchReads : limit - candidates.length;
      const page = await readEntries(query.stages[stage] ?? [], sk, size, onRead);
      candidates.push(...page.entries.map((entry) => toCandidate(entry, query, stage)));
      if (page.last === undefined) continue;
      sk = page.last;
      return { candidates, next: encodeSearchCursor({ stage, sk }) };
    }
    return { candidates, next: undefined };
  };
}

async function findById(id: string, onRead: OnRead): Promise<Candidate | undefined> {
  onRead(1);
  const user = await findUser(id);
  return user && { id, user, cursor: encodeSearchCursor({ stage: 0, sk: formatEntryKey(id, id) }) };
}

type Entry = { sk: string; prefix: string };

const toCandidate = ({ sk, prefix }: Entry, query: SearchQuery, stage: number): Candidate => {
  const { text, id } = parseEntryKey(sk);
  const isCurrent = (user: User) => isFoundBy(user, { prefix, text }, query, stage);
  return { id, cursor: encodeSearchCursor({ stage, sk }), isCurrent };
};

async function readEntries(starts: string[], after: string | undefined, limit: number, onRead: OnRead) {
  const ranges = starts.flatMap(listRanges);
  const pages = await Promise.all(ranges.map((range) => queryRange(range, after, limit + 1, onRead)));
  const entries = pages.flatMap((page) => page.entries).toSorted((one, other) => compareKeys(one.sk, other.sk));
  // Leave entries after `last` for the next call: another range may have unread entries before them.
  const ends = [...pages.flatMap(({ last }) => last ?? []), ...entries.slice(limit - 1, limit).map(({ sk }) => sk)];
  const [last] = ends.toSorted(compareKeys);
  const isComplete = pages.every((page) => page.last === undefined) && entries.length <= limit;
  if (isComplete || last === undefined) return { entries, last: undefined };
  return { entries: entries.filter(({ sk }) => compareKeys(sk, last) <= 0), last };
}

async function queryRange({ prefix, start }: Range, after: string | undefined, limit: number, onRead: OnRead) {
  const range = { from: start, to: `${start}${END}` };
  const { keys, isEnd } = await queryEntries(searchPartition(prefix), { ...range, after, order: 'asc', limit, onRead });
  return { entries: keys.map((sk): Entry => ({ sk, prefix })), last: isEnd ? undefined : keys.at(-1) };
}

/**
 * True if this entry shows a user who matches. Several entries may match: only the first matching text in the first
 * matching stage counts.
 */
function isFoundBy(
  user: User,
  { prefix, text }: { prefix: string; text: string },
  query: SearchQuery,
  stage: number,
): boolean {
  const texts = listTexts(user);
  const isInStage = (starts: string[]) => findBeginning(texts.indexed, starts) !== undefined;
  if (query.stages.slice(0, stage).some(isInStage)) return false;
  const matching = findBeginning(texts.indexed, query.stages[stage] ?? []);
  if (matching === undefined || truncate(matching) !== text) return false;
  return listIndexedTexts(user).some((indexed) => indexed.text === text && indexed.prefix === prefix);
}

/** True if the texts have every word of the search. */
export function matchesTexts({ indexed, short }: Texts, { words, stages }: SearchQuery): boolean {
  const isIn = (texts: string[]) => (starts: string[]) => findBeginning(texts, starts) !== undefined;
  return words.every(isIn([...indexed, ...short])) && stages.some(isIn(indexed));
}

export const findBeginning = (texts: string[], starts: string[]): string | undefined =>
  texts.find((text) => starts.some((start) => text.startsWith(start)));

/** The stage is one digit: a search has at most two. */
const encodeSearchCursor = ({ stage, sk }: Position): string => encodeCursor(`${stage}${sk}`);

function decodeSearchCursor({ stages }: SearchQuery, cursor: string): Position | undefined {
  const content = decodeCursor(cursor);
  if (content === undefined) return undefined;
  const [stage, sk] = [Number(content[0]), content.slice(1)];
  const { text, id } = parseEntryKey(sk);
  // Reject longer texts, which could exceed DynamoDB's key size.
  const isKey = truncate(text) === text && formatEntryKey(text, id) === sk && isUserId(id);
  const isInStage = (stages[stage] ?? []).some((start) => text.startsWith(truncate(start)));
  return isKey && isInStage ? { stage, sk } : undefined;
}
