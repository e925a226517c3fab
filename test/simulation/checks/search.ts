import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { parseUser } from '../../../lib/users/schema.ts';
import { createEntries } from '../../../lib/users/search/entries.ts';
import { listTexts, normalizeText } from '../../../lib/users/search/text.ts';
import { latest, type Store } from '../database/store.ts';
import type { Item } from '../database/values.ts';
import type { Operation } from '../workload/calls.ts';

/** As the SDK reads an item. Binary values differ, which neither users nor entries have. */
const parseItem = (item: Item) => unmarshall(item as unknown as Record<string, AttributeValue>);

/** What is wrong with the search index when all has settled: it holds exactly the entries of all users as they are. */
export function checkEntries(store: Store): string[] {
  const items = [...store.all()].map(latest).filter((item) => item !== undefined);
  const users = items.filter(({ sk }) => sk?.S === 'USER').map((item) => parseUser(parseItem(item)));
  const expected = new Map(users.flatMap(createEntries).map((entry) => [`${entry.pk} ${entry.sk}`, entry]));
  const found = items.filter(({ pk, name }) => pk?.S?.startsWith('SEARCH#') && name !== undefined).map(parseItem);
  const problems = found.flatMap((entry) => {
    const key = `${entry.pk} ${entry.sk}`;
    const wanted = expected.get(key);
    expected.delete(key);
    return isDeepStrictEqual(entry, wanted) ? [] : [`the search entry ${key} is ${wanted ? 'old' : 'left over'}`];
  });
  return [...problems, ...[...expected.keys()].map((key) => `the search entry ${key} is missing`)];
}

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
