import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { putItems } from '../../../../lib/dynamodb/batch.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { listSearchEntries, listTexts } from '../../../../lib/features/search/entries.ts';
import { searchUsers } from '../../../../lib/features/search/search.ts';
import { findIssue } from '../../../../lib/features/search/text.ts';
import { normalizeText } from '../../../../lib/input/normalized-text.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import type { User } from '../../../../lib/users/user.ts';
import { createUser, updateUser } from '../../../../lib/users/write.ts';
import { newUser } from '../../users/stored-user.ts';
import { clearTable } from '../page-index/fixtures.ts';
import { putUsers } from './fixtures.ts';

beforeEach(clearTable);

/** Follows `next` to the end. */
async function searchAll(text: string, limit = 100): Promise<User[]> {
  const found: User[] = [];
  let after: string | undefined;
  do {
    const page = await searchUsers({ text, limit, after });
    expect(page.users.length).toBeLessThanOrEqual(limit);
    expect(page.cursors).toHaveLength(page.users.length);
    found.push(...page.users);
    after = page.next;
  } while (after !== undefined);
  return found;
}
const searchNames = async (text: string) => (await searchAll(text)).map(({ name }) => name);

test('finds users by the beginning of any word of the name, of several words, or of the address', async () => {
  const ada = newUser('Ada King Lovelace', 'countess@example.org');
  await putUsers([ada, newUser('Kim Adams'), newUser('Bob')]);
  for (const text of ['ada k', 'ADA', 'King L', 'kin', 'Lovelace', 'lo', 'Coun', 'countess@example.org'])
    expect([text, (await searchAll(text)).filter(({ id }) => id === ada.id)]).toEqual([text, [ada]]);
  for (const text of ['ada l', 'da', 'ing', 'lovelace a', 'example', 'adaking', 'zz'])
    expect([text, await searchAll(text).then((found) => found.some(({ id }) => id === ada.id))]).toEqual([text, false]);
});

test('regards neither case nor accents, of what is stored or of what is asked for', async () => {
  const names = ['Zoë', 'ZOE', 'zoé'];
  await putUsers(names.map((name) => newUser(name)));
  for (const text of ['zo', 'ZÖE', ' zoe ', 'Zo\u00e8'])
    expect((await searchNames(text)).toSorted()).toEqual(names.toSorted());
});

test('sorts by what matched, then by creation', async () => {
  await putUsers(['Zed Ada', 'Ada Bell', 'Adam', 'Ada', 'Kim Ad'].map((name) => newUser(name)));
  expect(await searchNames('ad')).toEqual(['Kim Ad', 'Zed Ada', 'Ada', 'Ada Bell', 'Adam']);
});
test('shows a user once whose name and address match in several ways', async () => {
  const user = newUser('Ada Adams Adamson', 'ada.adams@example.org');
  await putUsers([user, newUser('Adele')]);
  for (const text of ['ad', 'ada', 'adam', 'adams', 'ada.', 'adamson'])
    for (const limit of [1, 2, 10])
      expect((await searchAll(text, limit)).filter(({ id }) => id === user.id)).toEqual([user]);
});

test.each([1, 7, 30, 200])('pages of %i users hold every match exactly once', async (limit) => {
  const users = Array.from({ length: 60 }, (_, at) => newUser(`Ada Lovelace ${at}`, `ada.${at}@example.org`));
  await putUsers(users);
  const found = await searchAll('ada', limit);
  expect(found.map(({ id }) => id).toSorted()).toEqual(users.map(({ id }) => id));
  expect(found.map(({ name }) => name)).toEqual(users.map(({ name }) => name).toSorted());
});

/** Words that begin alike for more characters than the index tells apart. */
const words = fc.tuple(
  fc.constantFrom('', 'ab', 'abababa', 'abababab', '李李', '李李李李李李'),
  fc.string({ unit: fc.constantFrom('a', 'b', '-', '李'), maxLength: 4 }),
);
const manyWords = fc
  .array(
    words.map((parts) => parts.join('')),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) => all.join(' '));
const starts = fc
  .tuple(manyWords, fc.integer({ min: 1, max: 12 }))
  .map(([name, length]) => name.trim().slice(0, length).trim());

test('a search finds exactly the users of whom a text begins with what is typed, once, in the order of these texts', async () => {
  const people = fc.array(fc.record({ name: manyWords, email: words.map((parts) => `${parts.join('')}@b.io`) }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(
      people,
      fc.array(starts, { minLength: 5, maxLength: 5 }),
      fc.integer({ min: 1, max: 9 }),
      async (all, typed, limit) => {
        const users = all.map(({ name, email }) => newUser(name, email));
        await clearTable();
        await putUsers(users);
        for (const text of typed.filter((text) => findIssue(text) === undefined)) {
          const match = (user: User) => listTexts(user).find((each) => each.startsWith(normalizeText(text)));
          const expected = users
            .filter((user) => match(user) !== undefined)
            .map((user) => `${match(user)}\t${user.id}`);
          const found = await searchAll(text, limit);
          expect([text, found.map((user) => `${match(user)}\t${user.id}`)]).toEqual([text, expected.sort()]);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('a text longer than a key is compared to its end', async () => {
  const long = `${'x'.repeat(70)}a`;
  const user = newUser(long);
  await putUsers([user, newUser(`${'x'.repeat(70)}b`)]);
  expect(await searchAll(long)).toEqual([user]);
  expect(await searchAll('x'.repeat(65))).toHaveLength(2);
});

test('a search sees a creation, a rename and a deletion at once', async () => {
  const { user } = await createUser({ name: 'Ada Lovelace', email: 'at.once@example.org' }, 'test');
  expect(await searchAll('lovelace')).toEqual([user]);
  const renamed = await updateUser({ id: user.id, name: 'Ada King' }, 'test');
  expect([await searchAll('lovelace'), await searchAll('king')]).toEqual([[], [renamed]]);
  await deleteUser({ id: user.id }, 'test');
  expect([await searchAll('ad'), await searchAll('king'), await searchAll('at.o')]).toEqual([[], [], []]);
});

test('one Chinese, Japanese or Korean character finds a name, and any of its words', async () => {
  const names = ['李', '李 明', '李明', '李小龙 Bruce Lee', '김 철수', '김철수', 'さくら', 'ガク'];
  const [only, spaced, joined, bruce, kim, kimJoined, sakura, gaku] = names.map((name) => newUser(name));
  await putUsers([only, spaced, joined, bruce, kim, kimJoined, sakura, gaku].filter((user) => user !== undefined));
  expect((await searchNames('李')).toSorted()).toEqual(['李', '李 明', '李小龙 Bruce Lee', '李明'].toSorted());
  expect(await searchAll(' 明 ')).toEqual([spaced]);
  expect(await searchAll('李 明')).toEqual([spaced]);
  expect(await searchAll('李明')).toEqual([joined]);
  expect(await searchAll('李小龙 b')).toEqual([bruce]);
  expect(await searchAll('lee')).toEqual([bruce]);
  expect((await searchNames('김')).toSorted()).toEqual(['김 철수', '김철수']);
  expect(await searchAll('철')).toEqual([kim]);
  expect(await searchAll('김철')).toEqual([kimJoined]);
  expect(await searchAll('さ')).toEqual([sakura]);
  expect(await searchAll('が')).toEqual([]);
  // Half-width characters are compatibility forms.
  expect(await searchAll('ｶ')).toEqual([gaku]);
});

test.each(['', 'a', ' a ', '\u0301e', '🦊', 'ㄱ', 'ー'])('the text %j is too short', async (text) => {
  await expect(searchUsers({ text, limit: 1 })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
});

test('a cursor of another search is rejected', async () => {
  await putUsers([newUser('Ada'), newUser('Ada'), newUser('Bob'), newUser('Bob')]);
  const { next: after } = await searchUsers({ text: 'bo', limit: 1 });
  expect((await searchUsers({ text: 'bob', limit: 1, after })).users).toHaveLength(1);
  for (const other of [after, '', 'x', `${after}=`, `${after} `])
    await expect(searchUsers({ text: 'ad', limit: 1, after: other })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
});

test('skips an entry whose user does not match, or does not exist', async () => {
  const [ada, adam, gone] = [newUser('Ada'), newUser('Adam'), newUser('Ada Gone')];
  await putUsers([ada, adam]);
  await putItems([{ ...ada, ...userKey(ada.id), name: 'Bob' }, ...listSearchEntries(gone).map(({ key }) => key)]);
  expect(await searchAll('ada')).toEqual([adam]);
});
