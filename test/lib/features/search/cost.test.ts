import { expect, test } from 'vitest';
import { createPeople } from '../../../../infra/local/sample.ts';
import { listTexts } from '../../../../lib/features/search/places.ts';
import { searchUsers } from '../../../../lib/features/search/search.ts';
import { measureCost } from '../../../bench/measure.ts';
import { newUser } from '../../users/stored-user.ts';
import { clearTable } from '../page-index/fixtures.ts';
import { putEntries, write } from './fixtures.ts';

test('20 users of many cost 1 RCU and one round trip, although names and addresses begin alike', async () => {
  const people = createPeople(1000);
  await putEntries(people.map(({ name, email }) => newUser(name, email)));
  const starts = findStarts(people, 20);
  expect(starts.length).toBeGreaterThan(10);
  for (const text of starts) {
    expect((await searchUsers({ text, limit: 20 })).users, text).toHaveLength(20);
    const { reads, requests } = await measureCost(() => searchUsers({ text, limit: 20 }));
    expect(requests, text).toBe(1);
    expect(reads, text).toBeLessThanOrEqual(1);
  }
});

/** Two letters that find at least this many of the people. */
function findStarts(people: { name: string; email: string }[], count: number): string[] {
  const starts = people.map((person) => new Set(listTexts(person).map((text) => text.slice(0, 2))));
  const finds = (start: string) => starts.filter((those) => those.has(start)).length;
  return [...new Set(starts.flatMap((those) => [...those]))].filter((start) => finds(start) >= count);
}

/** Names of ten words that begin with a text, in the order in which the first to match is read last. */
const createName = (start: string) => Array.from('jihgfedcba', (letter) => start + letter).join(' ');

test.each([
  ['ad', 1],
  ['ada', 2],
  ['adam', 3],
  ['adamant', 6],
  ['李', 1],
  ['李明', 2],
  ['李小龙', 3],
])(
  'users whose ten words and address begin with %j cost as much as others: %i queries at once',
  async (text, queries) => {
    await clearTable();
    const users = Array.from({ length: 60 }, (_, at) => newUser(createName(text), `${text}${at}@example.org`));
    await putEntries(users);
    let read = 0;
    const page = await searchUsers({ text, limit: 20 }, (entries) => {
      read += entries;
    });
    expect(page.users.map(({ id }) => id)).toEqual(users.slice(0, 20).map(({ id }) => id));
    expect(read).toBe(21);
    const { reads, requests, rounds } = await measureCost(() => searchUsers({ text, limit: 20 }));
    expect({ requests, rounds }).toEqual({ requests: queries, rounds: 1 });
    expect(reads).toBeLessThanOrEqual(1 + 0.5 * (queries - 1));
  },
);

test.each(['adamantine', '李李李李李李李李李李'])(
  'users whose words differ after more characters than prefixes have are found, for a bounded cost: %j',
  async (text) => {
    await clearTable();
    await putEntries(Array.from({ length: 60 }, (_, at) => newUser(createName(text), `${text}${at}@example.org`)));
    let read = 0;
    await searchUsers({ text, limit: 20 }, (entries) => {
      read += entries;
    });
    expect(read).toBeLessThan(200);
  },
);

test.each(['adamantine', '李李李李李李李李李李', '김철수'])('%j is searched by seven queries at once', async (text) => {
  await clearTable();
  expect(await measureCost(() => searchUsers({ text, limit: 1 }))).toMatchObject({ requests: 7, rounds: 1 });
});

test.each([
  ['Ada Lovelace', 'Ada King'],
  ['李 明', '李 王'],
])('a user with a name of two words costs 3 WCU, changing one of them 5: %j', async (name, other) => {
  const user = newUser(name);
  expect(await measureCost(() => write(undefined, user))).toMatchObject({ reads: 0, writes: 3 });
  const renamed = { ...user, name: other, version: 2 };
  expect(await measureCost(() => write(user, renamed))).toMatchObject({ reads: 0, writes: 5 });
});
