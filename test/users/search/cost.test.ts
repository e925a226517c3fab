import { expect, test } from 'vitest';
import { createPeople } from '../../../infra/local/sample.ts';
import { searchUsers } from '../../../lib/users/search/search.ts';
import { measureCost } from '../../bench/measure.ts';
import { newUser, putEntries, write } from './fixtures.ts';

test('20 users of many cost 1 RCU and one round trip, although names and addresses begin alike', async () => {
  const people = createPeople(1000);
  await putEntries(people.map(({ name, email }) => newUser(name, email)));
  for (const text of ['al', 'an', 'be', 'jo', 'ma']) {
    const found = await searchUsers({ text, limit: 20 });
    expect(found.users).toHaveLength(20);
    expect(await measureCost(() => searchUsers({ text, limit: 20 }))).toMatchObject({ reads: 1, requests: 1 });
  }
});

test('a user with a name of two words costs 3 WCU, changing one of them 5', async () => {
  const user = newUser('Ada Lovelace');
  expect(await measureCost(() => write(undefined, user))).toMatchObject({ reads: 0, writes: 3 });
  const renamed = { ...user, name: 'Ada King', version: 2 };
  expect(await measureCost(() => write(user, renamed))).toMatchObject({ reads: 0, writes: 5 });
});
