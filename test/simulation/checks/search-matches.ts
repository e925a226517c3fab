import { listTexts, normalizeText } from '../../../lib/users/search/text.ts';
import type { Store } from '../database/store.ts';
import type { Operation } from '../workload/calls.ts';

/** What is wrong with the answer to a search: each user is there once, matches, and was like that at some time. */
export function checkMatches(store: Store, { id: operation, call, outcome, times }: Operation): string[] {
  if (call.kind !== 'search' || outcome.code !== 'OK' || !outcome.matches) return [];
  const text = normalizeText(call.text);
  const matched = outcome.matches.map((user) => listTexts(user).find((each) => each.startsWith(text)) ?? '');
  const problems = outcome.matches.flatMap(({ id, name, email }, place) => {
    const { versions = [] } = store.find({ pk: `USER#${id}`, sk: 'USER' }) ?? {};
    const wasSo = versions.some(
      ({ at, item }) => at <= times.answered && item?.name?.S === name && item.email?.S === email,
    );
    return [
      ...(wasSo ? [] : [`${id} as nobody ever was`]),
      ...(matched[place] ? [] : [`${id}, who does not match`]),
      ...(place > 0 && String(matched[place]) < String(matched[place - 1]) ? ['users out of order'] : []),
    ];
  });
  if (new Set(outcome.matches.map(({ id }) => id)).size < outcome.matches.length) problems.push('a user twice');
  return problems.map((problem) => `${operation} shows ${problem}`);
}
