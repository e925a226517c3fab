import { normalizeId } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import { decodeCursor, encodeCursor } from '../../input/cursor.ts';
import type { OnRead } from '../../users/directory.ts';
import { countEntries, queryEntries } from '../../users/entries.ts';
import { compareKeys, END, FIRST, parseEntryKey, truncate } from '../../users/entry-keys.ts';
import { parseSearch, type SearchQuery } from '../search/query.ts';
import { findBeginning, matchesTexts } from '../search/search.ts';
import { listGroupTexts } from './entries.ts';
import type { Group } from './group.ts';
import { GROUP_SEARCH, GROUPS, isGroupId } from './keys.ts';
import { readGroups } from './read.ts';

export type GroupList = { first: number; after?: string | undefined; search?: string | undefined };

/** `cursors` has one item per group. `next` is set if more groups may follow. */
export type GroupPage = { groups: Group[]; cursors: string[]; next: string | undefined };

/**
 * Lists groups in creation order, or the groups with every word of the search, sorted by the matched text. A page of a
 * search may be short although more groups follow. Eventually consistent. Throws BAD_USER_INPUT.
 */
export const listGroups = (list: GroupList, onRead: OnRead): Promise<GroupPage> =>
  list.search === undefined ? listByCreation(list, onRead) : listFound({ ...list, search: list.search }, onRead);

async function listByCreation({ first, after }: GroupList, onRead: OnRead): Promise<GroupPage> {
  const start = after === undefined ? undefined : normalizeId(after);
  if (start !== undefined && !isGroupId(start)) throw invalidInput(['after'], 'must be a cursor of this connection');
  const query = { from: FIRST, to: END, after: start, order: 'asc', limit: first + 1, onRead } as const;
  const { keys } = await queryEntries(GROUPS, query);
  const ids = keys.slice(0, first);
  const groups = await readInOrder(ids, onRead);
  return { groups, cursors: groups.map(({ id }) => id), next: keys.length > first ? ids.at(-1) : undefined };
}

async function readInOrder(ids: string[], onRead: OnRead): Promise<Group[]> {
  onRead(ids.length);
  const groups = await readGroups(ids);
  return ids.flatMap((id) => groups.get(id) ?? []);
}

async function listFound({ first, after, search }: GroupList & { search: string }, onRead: OnRead): Promise<GroupPage> {
  const { query, issue } = parseSearch(search);
  if (!query) throw invalidInput(['search'], issue);
  const start = after === undefined ? undefined : decodeCursor(after);
  if (after !== undefined && start === undefined) throw invalidInput(['after'], 'must be a cursor of this connection');
  // The last stage has the spellings of the longest word. None begins with another one, so their ranges are disjoint.
  const spellings = (query.stages.at(-1) ?? []).map((text) => truncate(text)).toSorted(compareKeys);
  const { keys, isEnd } = await readTexts(spellings, start, first, onRead);
  const found = await readInOrder([...new Set(keys.map((key) => parseEntryKey(key).id))], onRead);
  const byId = new Map(found.map((group) => [group.id, group]));
  const shown = keys.flatMap((key) => {
    const { text, id } = parseEntryKey(key);
    const group = byId.get(id);
    return group && isFoundBy(group, text, query) ? [{ group, cursor: encodeCursor(key) }] : [];
  });
  const last = keys.at(-1);
  return {
    groups: shown.map(({ group }) => group),
    cursors: shown.map(({ cursor }) => cursor),
    next: isEnd || last === undefined ? undefined : encodeCursor(last),
  };
}

async function readTexts(
  spellings: string[],
  after: string | undefined,
  limit: number,
  onRead: OnRead,
): Promise<{ keys: string[]; isEnd: boolean }> {
  const found: string[] = [];
  for (const [at, spelling] of spellings.entries()) {
    const range = {
      from: spelling,
      to: `${spelling}${END}`,
      after,
      order: 'asc',
      limit: limit - found.length,
    } as const;
    const { keys, isEnd } = await queryEntries(GROUP_SEARCH, { ...range, onRead });
    found.push(...keys);
    if (found.length >= limit) return { keys: found, isEnd: isEnd && at === spellings.length - 1 };
  }
  return { keys: found, isEnd: true };
}

/** Several texts of a group may match: only the first one shows it. */
function isFoundBy(group: Group, text: string, query: SearchQuery): boolean {
  const texts = listGroupTexts(group);
  const first = findBeginning(texts.indexed, query.stages.at(-1) ?? []);
  return first !== undefined && truncate(first) === text && matchesTexts(texts, query);
}

/** Maximum that the service counts. */
const MAX_COUNT = 10_000;

/** Undefined for more groups than MAX_COUNT. Eventually consistent. */
export const countGroups = (onRead: OnRead): Promise<number | undefined> =>
  countEntries(GROUPS, { from: FIRST, to: END }, MAX_COUNT, onRead);
