import { expect, test } from 'vitest';
import { createPeople } from '../../../infra/local/sample.ts';
import { searchUsers } from '../../../lib/users/search/search.ts';
import { listTexts } from '../../../lib/users/search/text.ts';
import { measureCost } from '../../bench/measure.ts';
import { newUser, putEntries, write } from './fixtures.ts';

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

test('a user with a name of two words costs 3 WCU, changing one of them 5', async () => {
  const user = newUser('Ada Lovelace');
  expect(await measureCost(() => write(undefined, user))).toMatchObject({ reads: 0, writes: 3 });
  const renamed = { ...user, name: 'Ada King', version: 2 };
  expect(await measureCost(() => write(user, renamed))).toMatchObject({ reads: 0, writes: 5 });
});
