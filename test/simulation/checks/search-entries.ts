import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { parseUser } from '../../../lib/users/schema.ts';
import { createEntries } from '../../../lib/users/search/entries.ts';
import { latest, type Store } from '../database/store.ts';
import type { Item } from '../database/values.ts';

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
