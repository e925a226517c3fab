import type { Store } from '../database/store.ts';
import { MAX_LAG_MS } from '../network/views.ts';
import type { SeenList } from '../workload/calls.ts';

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

/** What is wrong with a list that was read in that time: it need not be one moment's truth, but it must be possible. */
export function checkList(
  store: Store,
  { ids, start, total }: SeenList,
  limit: number,
  from: number,
  to: number,
): string[] {
  const { always, ever } = usersBetween(store, from - MAX_LAG_MS.index, to);
  const problems: string[] = [];
  if (total !== undefined && (total < always.length || total > ever.length))
    problems.push(`a total of ${total}, not ${always.length} to ${ever.length}`);
  if (ids.some((id, at) => at > 0 && id <= (ids[at - 1] ?? ''))) problems.push('users out of order');
  for (const [at, id] of ids.entries()) {
    if (!ever.includes(id)) problems.push(`${id}, who was not there`);
    const [least, most] = [always, ever].map((users) => users.filter((user) => user < id).length);
    if ((least ?? 0) > start + at || (most ?? 0) < start + at)
      problems.push(`${id} in place ${start + at}, not ${least} to ${most}`);
  }
  const missed = always.length - start - ids.length;
  if (ids.length < limit && missed > 0) problems.push(`${missed} users too few`);
  return problems;
}
