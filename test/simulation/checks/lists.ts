import type { Item, Store, Stored } from '../database/store.ts';
import { NO_FAULTS } from '../options.ts';
import type { Operation, SeenPost } from '../workload/calls.ts';

const { maxLagMs, maxDeletedLagMs } = NO_FAULTS;

/** The versions of an item that were current at some time between two moments, in ms. */
export const versionsBetween = ({ versions }: Stored, from: number, to: number) =>
  versions.filter(({ at }, index) => at <= to && (versions[index + 1]?.at ?? Number.POSITIVE_INFINITY) > from);

/** Between two moments, in ms, who was there all the time, and who at some time: sorted by id. */
function usersBetween(store: Store, from: number, to: number): { always: string[]; ever: string[] } {
  const [always, ever]: [string[], string[]] = [[], []];
  for (const { pk, sk, versions } of store.indexed) {
    if (sk !== 'USER') continue;
    const created = versions[0]?.at ?? 0;
    const deleted = versions.find(({ item }) => item === undefined)?.at ?? Number.POSITIVE_INFINITY;
    const id = pk.slice('USER#'.length);
    if (created <= from && deleted > to) always.push(id);
    if (created <= to && deleted > from) ever.push(id);
  }
  return { always: always.sort(), ever: ever.sort() };
}

/** What is wrong with the answer to a list call: it need not be the truth of one moment, but it has to be possible. */
export function checkList(store: Store, { id: operation, api, outcome, times }: Operation): string[] {
  if (outcome.code !== 'OK' || !outcome.list) return [];
  const { users, start, total, limit, order } = outcome.list;
  const ids = users.map(({ id }) => id);
  const isBefore = (one: string, other: string) => (order === 'asc' ? one < other : one > other);
  const countBefore = (list: string[], id: string) => list.filter((user) => isBefore(user, id)).length;
  const counted = usersBetween(store, times.sent - maxLagMs, times.answered);
  const problems: string[] = [];
  if (total !== undefined && (total < counted.always.length || total > counted.ever.length))
    problems.push(`a total of ${total}, not ${counted.always.length} to ${counted.ever.length}`);
  // Pages from the second on leave out who has a tombstone; other lists show what the index of DynamoDB shows.
  const shown = usersBetween(store, times.sent - maxDeletedLagMs, times.answered);
  const ever = api === 'bare' && start > 0 ? counted.ever : shown.ever;
  const { always } = counted;
  if (ids.some((id, at) => at > 0 && !isBefore(ids[at - 1] ?? '', id))) problems.push('users out of order');
  for (const [at, id] of ids.entries()) {
    if (!ever.includes(id)) problems.push(`${id}, who was not there`);
    const [least, most] = [countBefore(always, id), countBefore(ever, id)];
    if (least > start + at || most < start + at) problems.push(`${id} in place ${start + at}, not ${least} to ${most}`);
  }
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  const between = always.filter((id) => isBefore(first, id) && isBefore(id, last) && !ids.includes(id));
  for (const id of between) problems.push(`no ${id} between those before and after`);
  const missed = always.length - start - ids.length;
  if (ids.length < limit && missed > 0) problems.push(`${missed} users too few`);
  if (limit === Number.POSITIVE_INFINITY)
    for (const id of always.filter((each) => !ids.includes(each)))
      problems.push(`no ${id}, who was there all the time`);
  problems.push(...users.flatMap((user) => checkUser(store, user, times)));
  return problems.map((problem) => `${operation} shows ${problem}`);
}

/** Whether a user was ever as shown, and not only long ago. */
function checkUser(store: Store, user: { id: string; name: string }, times: Operation['times']): string[] {
  const stored = store.find({ pk: `USER#${user.id}`, sk: 'USER' });
  const versions = stored ? versionsBetween(stored, times.sent - maxDeletedLagMs, times.answered) : [];
  return versions.some(({ item }) => isShown(item, user)) ? [] : [`${user.id} as the user was not then`];
}

/** Whether the attributes of an item are those that are shown, as far as they are. */
export function isShown(item: Item | undefined, { id: _, ...shown }: object & { id: string }): boolean {
  return (
    item !== undefined &&
    Object.entries(shown).every(([name, value]) => (item[name]?.S ?? Number(item[name]?.N)) === value)
  );
}

/** What is wrong with a list of posts: each that was there all the time is in it once, in order, as it was then. */
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
