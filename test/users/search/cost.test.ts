import { expect, test } from 'vitest';
import { searchUsers } from '../../../lib/users/search/search.ts';
import { measureCost } from '../../bench/measure.ts';
import { newUser, putEntries, write } from './fixtures.ts';

test('20 users of many cost 0.5 RCU and one round trip', async () => {
  const users = Array.from({ length: 400 }, (_, at) => newUser(`Ada Lovelace ${at}`, `ada.lovelace.${at}@example.com`));
  await putEntries(users);
  for (const text of ['ad', 'ada', 'lovelace'])
    expect(await measureCost(() => searchUsers({ text, limit: 20 }))).toMatchObject({ reads: 0.5, requests: 1 });
});

test('a user with a name of two words costs 3 WCU, changing one of them 5', async () => {
  const user = newUser('Ada Lovelace');
  expect(await measureCost(() => write(undefined, user))).toMatchObject({ reads: 0, writes: 3 });
  const renamed = { ...user, name: 'Ada King', version: 2 };
  expect(await measureCost(() => write(user, renamed))).toMatchObject({ reads: 0, writes: 5 });
});
