import { isDeepStrictEqual } from 'node:util';
import { SETTLING_MS } from '../../../lib/features/page-index/timing.ts';
import { type Change, type Item, isByHand, latest, readFields, type Store, type Stored } from '../database/store.ts';
import type { World } from '../environment/world.ts';
import { NO_FAULTS, SMALL_SIZES } from '../options.ts';
import type { Call, Operation, SeenPost, SeenUser } from '../workload/calls.ts';
import { parseMemberships, ROLES } from '../workload/memberships.ts';
import { DEFAULTS, type OwnValues, SORT_NAMES, type SortName, showOwnValues } from '../workload/own-fields.ts';
import { createFindGone, type Gone, showsMemberships } from './groups.ts';

const { maxLagMs, maxDeletedLagMs } = NO_FAULTS;

/** Finds versions of an item between two times, in ms. */
const versionsBetween = ({ versions }: Stored, from: number, to: number) =>
  versions.filter(({ at }, index) => at <= to && (versions[index + 1]?.at ?? Number.POSITIVE_INFINITY) > from);

/** Finds users who existed all the time (`always`) and at any time (`ever`), sorted by id. */
function usersBetween(store: Store, from: number, to: number): { always: string[]; ever: string[] } {
  const [always, ever]: [string[], string[]] = [[], []];
  for (const stored of store.indexed) {
    if (stored.sk !== 'USER') continue;
    const versions = versionsBetween(stored, from, to);
    const id = stored.pk.slice('USER#'.length);
    if (versions[0] && versions[0].at <= from && versions.every(({ item }) => item)) always.push(id);
    if (versions.some(({ item }) => item)) ever.push(id);
  }
  return { always: always.sort(), ever: ever.sort() };
}

/** Finds users who returned and were deleted so soon that clocks may swap both. The directory decides if they count. */
function findUnclear({ changes }: Store): Set<string> {
  const adjustments = changes.flatMap(({ pk, sk, after }) => {
    const [time, id = '', , kind] = pk === 'PAGES#ADJUSTMENTS' && after ? sk.split('#') : [];
    return time === undefined ? [] : [{ time: Number(time), id, isReturn: kind === 'RETURN' }];
  });
  const isClose = (one: (typeof adjustments)[number]) =>
    adjustments.some(
      ({ time, id, isReturn }) =>
        id === one.id && isReturn !== one.isReturn && Math.abs(time - one.time) <= SETTLING_MS,
    );
  return new Set(adjustments.filter(isClose).map(({ id }) => id));
}

/**
 * Returns how far a total may be wrong. A stale read may show only some of a user's adjustments between two times, in
 * ms.
 */
function countMiscounts({ changes }: Store, from: number, to: number): number {
  const recent = changes.filter(
    ({ pk, after, at }) => pk === 'PAGES#ADJUSTMENTS' && after !== undefined && at > from && at <= to,
  );
  const byUser = Map.groupBy(recent, ({ sk }) => sk.split('#')[1]);
  return [...byUser.values()].reduce((sum, { length }) => sum + Math.floor(length / 2), 0);
}

/**
 * Checks a list. Users may be shown as of different moments, but the total and each position must be possible. Deletions
 * by hand write no tombstone: totals and page numbers are exact from `countsFrom` on.
 */
export function checkList(
  { database: { store }, countsFrom }: World,
  { id: operation, api, outcome, times }: Operation,
): string[] {
  if (outcome.code !== 'OK' || !outcome.list) return [];
  const { users, start, total, limit, order } = outcome.list;
  const ids = users.map(({ id }) => id);
  const isBefore = (one: string, other: string) => (order === 'asc' ? one < other : one > other);
  const countBefore = (list: string[], id: string) => list.filter((user) => isBefore(user, id)).length;
  // Pages after the first read tombstones. Other lists may show a deleted user as long as the GSI does.
  const shown = usersBetween(store, times.sent - maxDeletedLagMs, times.answered);
  const recent = usersBetween(store, times.sent - maxLagMs, times.answered);
  const unclear = findUnclear(store);
  const counted = { ...recent, ever: shown.ever.filter((id) => recent.ever.includes(id) || unclear.has(id)) };
  const problems: string[] = [];
  const isExact = !store.changes.some(isByHand) || (countsFrom !== undefined && times.sent >= countsFrom);
  const miscounts = countMiscounts(store, times.sent - maxLagMs, times.answered);
  const [least, most] = [counted.always.length - miscounts, counted.ever.length + miscounts];
  if (isExact && total !== undefined && (total < Math.max(0, least) || total > most))
    problems.push(`a total of ${total}, not ${least} to ${most}`);
  const ever = isExact && api === 'bare' && start > 0 ? counted.ever : shown.ever;
  const { always } = counted;
  // Creations and deletions between the reads of the total and of the users shift the page.
  const isCountedFromEnd = api === 'bare' && order === 'desc' && start > 0;
  const changed = isCountedFromEnd ? ever.filter((id) => !always.includes(id)) : [];
  if (ids.some((id, at) => at > 0 && !isBefore(ids[at - 1] ?? '', id))) problems.push('users out of order');
  for (const [at, id] of ids.entries()) {
    if (!ever.includes(id)) problems.push(`${id}, who was not there`);
    const changedAfter = changed.filter((user) => isBefore(id, user)).length;
    const [least, most] = [countBefore(always, id) - changedAfter, countBefore(ever, id) + changedAfter];
    const isPlaced = (least <= start + at && most >= start + at) || !(isExact || start === 0);
    if (!isPlaced) problems.push(`${id} in place ${start + at}, not ${least} to ${most}`);
  }
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  const between = always.filter((id) => isBefore(first, id) && isBefore(id, last) && !ids.includes(id));
  for (const id of between) problems.push(`no ${id} between those before and after`);
  const missed = always.length - start - ids.length;
  if (ids.length < limit && missed > 0 && (isExact || start === 0)) problems.push(`${missed} users too few`);
  if (limit === Number.POSITIVE_INFINITY)
    for (const id of always.filter((each) => !ids.includes(each)))
      problems.push(`no ${id}, who was there all the time`);
  problems.push(...users.flatMap((user) => checkUser(store, user, times)));
  return problems.map((problem) => `${operation} shows ${problem}`);
}

function checkUser(store: Store, user: SeenUser, times: Operation['times']): string[] {
  const stored = store.find({ pk: `USER#${user.id}`, sk: 'USER' });
  const versions = stored ? versionsBetween(stored, times.sent - maxDeletedLagMs, times.answered) : [];
  const gone = createFindGone(store)(times);
  return versions.some(({ item }) => isShown(item, user, gone)) ? [] : [`${user.id} as the user was not then`];
}

function isShown(item: Item | undefined, { id: _, fields, ...shown }: SeenUser, gone: Gone): boolean {
  if (!item) return false;
  const { groups, ...others } = fields;
  const { groups: stored, ...values }: OwnValues = showOwnValues(readFields(item), 'current');
  return (
    isDeepStrictEqual(others, values) &&
    showsMemberships(groups, stored, gone) &&
    Object.entries(shown).every(([name, value]) => (item[name]?.S ?? Number(item[name]?.N)) === value)
  );
}

/** Checks that each post that existed all the time appears once, in order. */
export function checkPosts(store: Store, { id: operation, call, outcome, times }: Operation): string[] {
  if (call.kind !== 'listPosts' || outcome.code !== 'OK') return [];
  const { posts = [], user } = outcome;
  const problems: string[] = [];
  const author = store.find({ pk: `USER#${call.id}`, sk: 'USER' });
  const authors = author ? versionsBetween(author, times.sent, times.answered) : [];
  if (user || !authors.some(({ item }) => item)) problems.push('posts of nobody');
  const isDeleted = authors.some(({ item }) => !item);
  const keys = posts.map(({ id }) => `POST#${id.slice(call.id.length + 1)}`);
  if (keys.some((key, at) => at > 0 && key <= (keys[at - 1] ?? ''))) problems.push('posts out of order');
  for (const [at, post] of posts.entries()) {
    const stored = store.find({ pk: `USER#${post.authorId}`, sk: keys[at] ?? '' });
    const versions = stored ? versionsBetween(stored, times.sent, times.answered) : [];
    if (!versions.some(({ item }) => isSamePost(item, post))) problems.push(`${post.id} as the post was not then`);
  }
  for (const stored of store.partition(`USER#${call.id}`)) {
    const versions = versionsBetween(stored, times.sent, times.answered);
    const [first] = versions;
    const isThere = first !== undefined && first.at <= times.sent && versions.every(({ item }) => item);
    if (stored.sk.startsWith('POST#') && isThere && !isDeleted && !keys.includes(stored.sk))
      problems.push(`no ${stored.sk}, which was there all the time`);
  }
  return problems.map((problem) => `${operation} shows ${problem}`);
}

const isSamePost = (item: Item | undefined, { title, publishedAt }: SeenPost): boolean =>
  item?.title?.S === title && (item.publishedAt?.S ?? null) === publishedAt;

/**
 * The checks of searches are independent of lib/features/search. Each typed word must begin a word of the name, motto,
 * address or domain.
 */

const ACCENTS: Record<string, string> = { é: 'e', å: 'a', ö: 'o', ü: 'u', ë: 'e' };
const SPELLED_OUT: Record<string, string> = { å: 'aa', ö: 'oe', ü: 'ue' };

const replaceLetters = (text: string, letters: Record<string, string>) =>
  [...text.toLowerCase()].map((letter) => letters[letter] ?? letter).join('');
const fold = (text: string) => replaceLetters(text, ACCENTS);
const listSpellings = (text: string) => [...new Set([fold(text), fold(replaceLetters(text, SPELLED_OUT))])];

type Searched = { name: string; email: string; fields: OwnValues };

const splitWords = (text: string) => text.split(/[ -]+/).filter((word) => word !== '');
/** Joins words. Drops spaces within numbers, which do not matter. */
const join = (words: string[]) => words.join(' ').replace(/(?<=(?:^| )\d+) (?=\d+(?: |$))/g, '');
const isIndexed = (word: string, at: number) => at === 0 || word.length >= 2;

/** Returns, for each word, the text from that word on, followed by the words before it. */
function rotate(text: string): string[] {
  const words = splitWords(text);
  return words.flatMap((word, at) => (isIndexed(word, at) ? [join([...words.slice(at), ...words.slice(0, at)])] : []));
}

/** Returns the texts of a user. A search finds their beginnings. */
function listTexts({ name, email, fields: { motto = '' } }: Searched): string[] {
  const ofName = listSpellings(name).flatMap(rotate).slice(0, 10);
  const texts = [...ofName, fold(email), `@${fold(email).split('@')[1]}`, ...listSpellings(motto).flatMap(rotate)];
  return [...new Set(texts)].filter((text) => text.length >= 2);
}

const listShortWords = ({ name, fields: { motto = '' } }: Searched) =>
  [name, motto].flatMap((text) => splitWords(fold(text)).filter((word, at) => !isIndexed(word, at)));

const readWords = (text: string): string[][] =>
  text
    .trim()
    .split(/ +/)
    .map((word) => listSpellings(word).flatMap((spelling) => listForms(spelling.replace(/[.]+$/, ''))))
    .filter((forms) => forms.some((form) => form !== ''));

function listForms(word: string): string[] {
  if (word.includes('@')) return [word];
  return [join(splitWords(word.replaceAll('.', ' '))), word, ...(/[^.][.][^.]/.test(word) ? [`@${word}`] : [])];
}

const begins = (text: string, starts: readonly string[]) =>
  starts.some((start) => start !== '' && text.startsWith(start));

/**
 * Returns sort keys under which a search may list a user: texts that begin with all typed words, or else with the
 * longest.
 */
function listPositions(user: Searched, text: string): string[] {
  const words = readWords(text);
  const texts = listTexts(user);
  if (!words.every((word) => [...texts, ...listShortWords(user)].some((each) => begins(each, word)))) return [];
  const phrases = listSpellings(text.trim()).map((spelling) => join(splitWords(spelling.replace(/[.]+$/, ''))));
  const [longest = []] = words
    .filter((word) => word.every((form) => form.length >= 2))
    .toSorted((one, other) => (other[0] ?? '').length - (one[0] ?? '').length);
  const stages = words.length > 1 ? [phrases, longest] : [longest];
  const found = stages.map((starts, stage) =>
    texts.filter((each) => begins(each, starts)).map((each) => `${stage}${each}`),
  );
  return found.find((positions) => positions.length > 0) ?? [];
}

const readUser = (item: Item): Searched => ({
  name: item.name?.S ?? '',
  email: item.email?.S ?? '',
  fields: readFields(item),
});

type MatchingCall = Extract<Call, { kind: 'search' | 'sort' | 'filter' | 'members' }>;

const isMatching = (call: Call): call is MatchingCall => /^(search|sort|filter|members)$/.test(call.kind);

function isFound(user: Searched, call: MatchingCall): boolean {
  if (call.kind === 'search') return listPositions(user, call.text).length > 0;
  if (call.kind === 'members') {
    const membership = parseMemberships(user.fields.groups).find(({ id }) => id === call.groupId);
    return membership !== undefined && (call.role === undefined || membership.role === call.role);
  }
  return (
    call.kind === 'sort' || call.mottos.some((motto) => user.fields.motto?.normalize('NFC') === motto.normalize('NFC'))
  );
}

/**
 * Checks a search, or a sorted or filtered list. Users who matched all the time must appear once. Writes must be visible immediately,
 * apart from replica lag.
 */
export function checkMatches(store: Store, { id: operation, call, outcome, times }: Operation): string[] {
  if (!isMatching(call) || outcome.code !== 'OK' || !outcome.matches) return [];
  const { matches } = outcome;
  const gone = createFindGone(store)(times);
  const isGone = call.kind === 'members' && gone.mayBe(call.groupId);
  if (call.kind === 'members' && gone.was(call.groupId))
    return matches.map(({ id }) => `${operation} shows ${id} as a member of a deleted group`);
  const visibleSince = times.sent - NO_FAULTS.maxLagMs;
  const histories = Map.groupBy(
    store.changes.filter(({ sk }) => sk === 'USER'),
    ({ pk }) => pk.slice('USER#'.length),
  );
  const isVisible = ({ at }: Change) => at <= visibleSince;
  const problems = matches.flatMap((user) => {
    const changes = histories.get(user.id) ?? [];
    const possible = changes.filter(({ at }, index) => {
      const next = changes[index + 1];
      return at <= times.answered && !(next && isVisible(next));
    });
    return [
      ...(possible.some(({ after }) => isShown(after, user, gone)) ? [] : [`${user.id} as the user was not then`]),
      ...(isGone || isFound(user, call) ? [] : [`${user.id}, who does not match`]),
    ];
  });
  for (const [id, changes] of histories) {
    const current = changes.findLastIndex(({ at }) => at <= times.answered);
    const change = changes[current];
    // Skips users who changed during the search: they may be missing or appear twice.
    if (!change || !isVisible(change)) continue;
    const shown = matches.filter((user) => user.id === id).length;
    const isMatch = change.after && isFound(readUser(change.after), call);
    if (isMatch && shown === 0 && !isGone) problems.push(`no ${id}, who matched all the time`);
    if (shown > 1) problems.push(`${id} ${shown} times`);
  }
  const order = call.kind === 'search' ? checkTexts(matches, call.text) : checkSorted(matches, call);
  return [...problems, ...order].map((problem) => `${operation} shows ${problem}`);
}

/** In order of creation, or sorted. Users without a value come last in both orders. */
function checkSorted(users: SeenUser[], call: Exclude<MatchingCall, { kind: 'search' }>): string[] {
  const { order } = call;
  const by = call.kind === 'members' ? undefined : call.by;
  const keys = users.map((user) => (by ? formatSortKey(user, by, user.id) : `1${user.id}`));
  const isBefore = (one: string, other: string) =>
    one[0] === other[0] && order === 'desc' ? one > other : one < other;
  const at = keys.findIndex((key, index) => index > 0 && !isBefore(keys[index - 1] ?? '', key));
  return at < 0 ? [] : [`${users[at]?.id} in place ${at}, out of order`];
}

function checkTexts(matches: SeenUser[], text: string): string[] {
  let last = '';
  for (const user of matches) {
    const next = listPositions(user, text)
      .sort()
      .find((each) => each >= last);
    if (next === undefined) return ['users out of order'];
    last = next;
  }
  return [];
}

/** Checks that search and list entries, and each user's `derived`, are exact. */
export function checkEntries(store: Store): string[] {
  const items = [...store.all()].map(latest).filter((item) => item !== undefined);
  const users = items.filter(({ sk }) => sk?.S === 'USER');
  const expected = new Set(users.flatMap((user) => [...listEntryKeys(user), ...listListKeys(user)]));
  const found = items.filter(({ pk }) => isEntry(pk?.S)).map(({ pk, sk }) => `${pk?.S} ${sk?.S}`);
  return [
    ...found.filter((key) => !expected.has(key)).map((key) => `the entry ${key} is left over`),
    ...[...expected].filter((key) => !found.includes(key)).map((key) => `the entry ${key} is missing`),
    ...checkRecords(items, users),
  ];
}

const isEntry = (pk = '') => /^(SEARCH|LIST)#/.test(pk);

function checkRecords(items: Item[], users: Item[]): string[] {
  const recorded = new Set(
    users.flatMap(({ pk, derived }) => {
      const id = pk?.S?.slice('USER#'.length);
      return (derived?.L ?? []).map(({ S = '' }) => `${S.includes('\t') ? `${S}${id}` : S} of ${id}`);
    }),
  );
  const stored = items.flatMap(({ pk, sk, userId }) => {
    if (/^(EMAIL|UNIQUE)#/.test(pk?.S ?? '')) return [`${pk?.S} of ${userId?.S}`];
    return isEntry(pk?.S) ? [`${pk?.S}\t${sk?.S} of ${sk?.S?.slice(-36)}`] : [];
  });
  return [
    ...stored.filter((key) => !recorded.has(key)).map((key) => `${key} is not recorded`),
    ...[...recorded].filter((key) => !stored.includes(key)).map((key) => `${key} is recorded, but missing`),
  ];
}

/**
 * Returns the text's shortest prefix that no earlier text has. Undefined if an earlier text begins with the whole text.
 */
function findPrefix(text: string, earlier: string[]): string | undefined {
  if (earlier.some((each) => each.startsWith(text))) return undefined;
  const longest = 2 + SMALL_SIZES.searchPrefixes - 1;
  for (let length = 2; length < longest; length++)
    if (!earlier.some((each) => each.startsWith(text.slice(0, length)))) return text.slice(0, length);
  return text.slice(0, longest);
}

function listEntryKeys(item: Item): string[] {
  const id = item.pk?.S?.slice('USER#'.length);
  const texts = listTexts(readUser(item));
  return texts.flatMap((text, at) => {
    const prefix = findPrefix(text, texts.slice(0, at));
    return prefix === undefined ? [] : [`SEARCH#${prefix} ${text}\t${id}`];
  });
}

/** Sort keys of badges: IEEE 754 bits in hexadecimal, with an inverted sign bit, and without trailing zeros. */
const BADGES: Record<string, string> = { 7: 'c01c', 8: 'c02', 9: 'c022' };

/** Missing values come last. */
function formatSortKey({ name, fields: { nickname, badge } }: Searched, by: SortName, id: string | undefined): string {
  const texts = {
    name: fold(name),
    nickname: nickname && fold(nickname.normalize('NFC')),
    badge: badge === undefined ? undefined : BADGES[badge],
  };
  return texts[by] === undefined ? `2\t${id}` : `1${texts[by]}\t${id}`;
}

/** Returns the keys of list entries. */
function listListKeys(item: Item): string[] {
  const id = item.pk?.S?.slice('USER#'.length);
  const user = readUser(item);
  const { motto, groups } = user.fields;
  return [
    ...SORT_NAMES.map((name) => `LIST#${name} ${formatSortKey(user, name, id)}`),
    `LIST#plan=${DEFAULTS.plan} ${id}`,
    ...parseMemberships(groups).map(
      (each) => `LIST#group=${each.id}${each.role === ROLES[0] ? '' : `&role=${each.role}`} ${id}`,
    ),
    ...(motto === undefined ? [] : [`LIST#motto=${motto.normalize('NFC')} ${id}`]),
  ];
}
