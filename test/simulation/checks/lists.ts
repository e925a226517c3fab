import type { Store } from '../database/store.ts';
import { MAX_DELETED_LAG_MS, MAX_LAG_MS } from '../network/views.ts';
import type { Operation } from '../workload/calls.ts';

/** Between two moments, in ms, who was there all the time, and who at some time: sorted by id. */
export function usersBetween(store: Store, from: number, to: number): { always: string[]; ever: string[] } {
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
  const { ids, start, total, limit, order } = outcome.list;
  const isBefore = (one: string, other: string) => (order === 'asc' ? one < other : one > other);
  const countBefore = (users: string[], id: string) => users.filter((user) => isBefore(user, id)).length;
  const counted = usersBetween(store, times.sent - MAX_LAG_MS, times.answered);
  const problems: string[] = [];
  if (total !== undefined && (total < counted.always.length || total > counted.ever.length))
    problems.push(`a total of ${total}, not ${counted.always.length} to ${counted.ever.length}`);
  // Pages from the second on leave out who has a tombstone; other lists show what the index of DynamoDB shows.
  const { always, ever } =
    api === 'bare' && start > 0 ? counted : usersBetween(store, times.sent - MAX_DELETED_LAG_MS, times.answered);
  if (ids.some((id, at) => at > 0 && !isBefore(ids[at - 1] ?? '', id))) problems.push('users out of order');
  for (const [at, id] of ids.entries()) {
    if (!ever.includes(id)) problems.push(`${id}, who was not there`);
    const [least, most] = [countBefore(always, id), countBefore(ever, id)];
    if (least > start + at || most < start + at) problems.push(`${id} in place ${start + at}, not ${least} to ${most}`);
  }
  const missed = always.length - start - ids.length;
  if (ids.length < limit && missed > 0) problems.push(`${missed} users too few`);
  return problems.map((problem) => `${operation} shows ${problem}`);
}
