import { beforeEach, expect, test } from 'vitest';
import { createEntries, updateEntries } from '../../../../lib/features/search/entries.ts';
import type { User } from '../../../../lib/users/schema.ts';
import { newUser, toItem } from '../../users/stored-user.ts';
import { clearTable } from '../page-index/fixtures.ts';
import { byKey, readEntries, write } from './fixtures.ts';

beforeEach(clearTable);

const expectEntries = async (user: User | undefined) =>
  expect((await readEntries()).sort(byKey)).toEqual((user ? createEntries(user) : []).sort(byKey));

test('two consumers at once leave the entries of the newer record', async () => {
  const user = newUser('Ada Lovelace');
  const [renamed, again] = [
    { ...user, name: 'Ada King', version: 2 },
    { ...user, name: 'King Ada', version: 3 },
  ];
  await Promise.all([write(renamed, again), write(user, renamed), write(undefined, user), write(user, renamed)]);
  await expectEntries(again);
});

test('a user whose item is damaged has no entries, and stops nobody', async () => {
  const user = newUser('Ada');
  await updateEntries({ before: undefined, after: { ...toItem(user), version: 'one' } });
  await expectEntries(undefined);
});
