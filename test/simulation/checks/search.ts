import { isDeepStrictEqual } from 'node:util';
import { type Item, latest, type Store } from '../database/store.ts';
import { NO_FAULTS, SMALL_SIZES } from '../options.ts';
import type { Operation, SeenUser } from '../workload/calls.ts';
import { isShown } from './lists.ts';

/*
 * What a search has to find (section 10 of the design), written again for the names of the workload, independently of
 * lib/users/search: users whose name has a word, or the words from one on, that begins with the text, or whose address
 * begins with it; whatever the case and the accents.
 */

const ACCENTS: Record<string, string> = { é: 'e', å: 'a', ö: 'o', ü: 'u', ë: 'e' };

const fold = (text: string) => [...text.toLowerCase()].map((letter) => ACCENTS[letter] ?? letter).join('');

/** Under which texts a user is found. */
function listTexts({ name, email }: { name: string; email: string }): string[] {
  const starts = [...name.matchAll(/(?<=^|[ -])[^ -]/g)].map(({ index }) => name.slice(index));
  return [...new Set([...starts, email].map(fold))].filter((text) => text.length >= 2);
}

const findTexts = (user: { name: string; email: string }, text: string) =>
  listTexts(user).filter((each) => each.startsWith(fold(text).trim()));

const readUser = (item: Item) => ({ name: item.name?.S ?? '', email: item.email?.S ?? '' });

/**
 * What is wrong with the answer to a search, which followed all links: users match, are shown as they were, and in
 * order; nobody is missing who matched all the time, or shown again; changes show once they are consumed from the stream.
 */
export function checkMatches(
  store: Store,
  { id: operation, call, outcome, times }: Operation,
  consumed: Map<number, number>,
): string[] {
  if (call.kind !== 'search' || outcome.code !== 'OK' || !outcome.matches) return [];
  const { matches } = outcome;
  const visibleSince = times.sent - NO_FAULTS.maxLagMs;
  const histories = Map.groupBy(
    store.changes.filter(({ sk }) => sk === 'USER'),
    ({ pk }) => pk.slice('USER#'.length),
  );
  const isVisible = (position: number) => (consumed.get(position) ?? Number.POSITIVE_INFINITY) <= visibleSince;
  const problems = matches.flatMap((user) => {
    const changes = histories.get(user.id) ?? [];
    const possible = changes.filter(({ at }, index) => {
      const next = changes[index + 1];
      return at <= times.answered && !(next && isVisible(next.position));
    });
    return [
      ...(possible.some(({ after }) => isShown(after, user)) ? [] : [`${user.id} as the user was not then`]),
      ...(findTexts(user, call.text).length > 0 ? [] : [`${user.id}, who does not match`]),
    ];
  });
  for (const [id, changes] of histories) {
    const current = changes.findLastIndex(({ at }) => at <= times.answered);
    const change = changes[current];
    // A user who changes meanwhile may be shown as before, as after, twice or not at all.
    if (!change || !isVisible(change.position)) continue;
    const shown = matches.filter((user) => user.id === id).length;
    const isMatch = change.after && findTexts(readUser(change.after), call.text).length > 0;
    if (isMatch && shown === 0) problems.push(`no ${id}, who matched all the time`);
    if (shown > 1) problems.push(`${id} ${shown} times`);
  }
  return [...problems, ...checkTexts(matches, call.text)].map((problem) => `${operation} shows ${problem}`);
}

/** Users are sorted by one of the texts that match. */
function checkTexts(matches: SeenUser[], text: string): string[] {
  let last = '';
  for (const user of matches) {
    const next = findTexts(user, text)
      .sort()
      .find((each) => each >= last);
    if (next === undefined) return ['users out of order'];
    last = next;
  }
  return [];
}

/** What is wrong with the search entries when all has settled: they are exactly those of all users as they are. */
export function checkEntries(store: Store): string[] {
  const items = [...store.all()].map(latest).filter((item) => item !== undefined);
  const expected = new Map(items.filter(({ sk }) => sk?.S === 'USER').flatMap(createEntries));
  const found = items.filter(({ pk, name }) => pk?.S?.startsWith('SEARCH#') && name !== undefined);
  const problems = found.flatMap(({ pk, sk, ...entry }) => {
    const key = `${pk?.S} ${sk?.S}`;
    const wanted = expected.get(key);
    expected.delete(key);
    return isDeepStrictEqual(entry, wanted) ? [] : [`the search entry ${key} is ${wanted ? 'old' : 'left over'}`];
  });
  return [...problems, ...[...expected.keys()].map((key) => `the search entry ${key} is missing`)];
}

/** The shortest beginning of a text that no earlier text has, which names its partition; undefined where all find an earlier one. */
function findPrefix(text: string, earlier: string[]): string | undefined {
  if (earlier.some((each) => each.startsWith(text))) return undefined;
  for (let length = 2; length < SMALL_SIZES.searchPrefix; length++)
    if (!earlier.some((each) => each.startsWith(text.slice(0, length)))) return text.slice(0, length);
  return text.slice(0, SMALL_SIZES.searchPrefix);
}

function createEntries(item: Item): [key: string, entry: Item][] {
  const { pk, name = {}, email = {}, version = {}, createdAt, updatedAt } = item;
  const toNumber = (time = '') => ({ N: String(Date.parse(time)) });
  const entry = { name, email, version, createdAt: toNumber(createdAt?.S), updatedAt: toNumber(updatedAt?.S) };
  const id = pk?.S?.slice('USER#'.length);
  const texts = listTexts(readUser(item));
  return texts.flatMap((text, at) => {
    const prefix = findPrefix(text, texts.slice(0, at));
    return prefix === undefined ? [] : [[`SEARCH#${prefix} ${text}\t${id}`, entry] as [string, Item]];
  });
}
