import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { putItems } from '../../../../lib/dynamodb/batch.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { listSearchEntries, listTexts } from '../../../../lib/features/search/entries.ts';
import { findIssue, parseSearch } from '../../../../lib/features/search/query.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { truncate } from '../../../../lib/users/entry-keys.ts';
import type { User } from '../../../../lib/users/user.ts';
import { createUser, updateUser } from '../../../../lib/users/write.ts';
import { countRuns } from '../../../setup/seed.ts';
import { newUser } from '../../users/stored-user.ts';
import { clearTable } from '../page-index/fixtures.ts';
import { putUsers, searchUsers } from './fixtures.ts';

beforeEach(clearTable);

async function searchAll(text: string, limit = 100): Promise<User[]> {
  const found: User[] = [];
  let after: string | undefined;
  do {
    const page = await searchUsers({ text, limit, after });
    expect(page.users.length).toBeLessThanOrEqual(limit);
    found.push(...page.users.map(({ user }) => user));
    after = page.next;
  } while (after !== undefined);
  return found;
}
const searchNames = async (text: string) => (await searchAll(text)).map(({ name }) => name);

test('finds users by beginnings of words of the name in any order, of the address and of its domain', async () => {
  const ada = newUser('Ada King Lovelace', 'countess@example.org');
  await putUsers([ada, newUser('Kim Adams', 'kim@adams.example'), newUser('Bob', 'bob@bob.example')]);
  const found = [
    'ada k',
    'ADA',
    'King L',
    'kin',
    'Lovelace',
    'lo',
    'Coun',
    'countess@example.org',
    'ada l',
    'lovelace a',
  ];
  for (const text of [...found, 'lo ada kin', 'king @exam', 'ada coun', 'example.org', '@ex'])
    expect([text, (await searchAll(text)).filter(({ id }) => id === ada.id)]).toEqual([text, [ada]]);
  for (const text of ['da', 'ing', 'example', 'adaking', 'zz', 'ada bob', 'ada ada@', '@example.com', 'xample.org'])
    expect([text, await searchAll(text).then((found) => found.some(({ id }) => id === ada.id))]).toEqual([text, false]);
});

const people = {
  muller: ['Jürgen Müller', 'j.mueller@firma.de'],
  mueller: ['Jana Mueller', 'jana@firma.example'],
  sorensen: ['Mette Sørensen', 'mette@soerensen.dk'],
  obrien: ['Conan O’Brien', 'conan@tv.example'],
  yamada: ['山田太郎', 'taro@yamada.jp'],
  kim: ['김철수', 'kim@seoul.kr'],
  li: ['李 明', 'li@beijing.cn'],
  phone: ['Desk +49 170 1234567', 'desk@firma.de'],
  e164: ['Night +491709876543', 'night@firma.de'],
  jean: ['Jean-Luc Picard', 'jean-luc.picard@ship.example'],
} as const;

test.each([
  ['mueller', 'mueller muller'],
  ['Müller', 'mueller muller'],
  ['muller', 'muller'],
  ['muller jurgen', 'muller'],
  ['Mueller, Juergen', 'muller'],
  ['mue', 'mueller muller'],
  ['soerensen', 'sorensen'],
  ['sorensen', 'sorensen'],
  ['SØRENSEN', 'sorensen'],
  ['obrien', 'obrien'],
  ["o'brien", 'obrien'],
  ['O´Brien', 'obrien'],
  ['brien conan', 'obrien'],
  ['太郎', 'yamada'],
  ['山田', 'yamada'],
  ['山田 太郎', 'yamada'],
  ['太郎 山', 'yamada'],
  ['철수', 'kim'],
  ['김 철수', 'kim'],
  ['李明', 'li'],
  ['明', 'li'],
  ['1701234567', 'phone'],
  ['170 1234567', 'phone'],
  ['0170 1234567', 'phone'],
  ['0170/12 34 56', 'phone'],
  ['+49 (0)170 123', 'phone'],
  ['tel:+491701234567', 'phone'],
  ['1709876543', 'e164'],
  ['+49 170 9876', 'e164'],
  ['firma.de', 'e164 muller phone'],
  ['@firma.de', 'e164 muller phone'],
  ['@firma', 'e164 mueller muller phone'],
  ['night @firma.de', 'e164'],
  ['soerensen.dk', 'sorensen'],
  ['Jürgen Müller (Sales) <j.mueller@firma.de>', 'muller'],
  ['<j.mueller@firma.de>;', 'muller'],
  ['mailto:J.Mueller@firma.de', 'muller'],
  ['"conan@tv.example",', 'obrien'],
  ['jean-luc.pic', 'jean'],
  ['picard jean-luc', 'jean'],
  ['jean luc', 'jean'],
])('%s finds %s', async (text, expected) => {
  const users = Object.entries(people).map(([key, [name, email]]) => ({ key, user: newUser(name, email) }));
  await putUsers(users.map(({ user }) => user));
  const found = await searchAll(text, 2);
  const keys = found.map(({ id }) => users.find(({ user }) => user.id === id)?.key);
  expect(keys.toSorted().join(' ')).toBe(expected);
});

test('an id in the text finds only its user', async () => {
  const [ada, bob] = [newUser('Ada'), newUser('Bob')];
  await putUsers([ada, bob]);
  for (const text of [bob.id, bob.id.toUpperCase(), `"${bob.id}"`, `https://example.org/v1/users/${bob.id}?a=b`])
    expect(await searchAll(text)).toEqual([bob]);
  const [found] = (await searchUsers({ text: bob.id, limit: 1 })).users;
  expect(await searchUsers({ text: bob.id, limit: 1, after: found?.cursor ?? '' })).toEqual({ users: [] });
  expect(await searchAll(newUser('Nobody').id)).toEqual([]);
});

test('users with the words in the typed order come first', async () => {
  const names = [
    'Ana Maria Garcia',
    'Garcia Maria',
    'Maria Garcia',
    'Maria Jose Garcia',
    'Garcia Lopez Maria',
    'Maria Lopez',
  ];
  await putUsers(names.map((name, at) => newUser(name, `${at}@example.org`)));
  const found = ['Garcia Maria', 'Maria Garcia', 'Ana Maria Garcia', 'Maria Jose Garcia', 'Garcia Lopez Maria'];
  expect((await searchNames('maria garcia')).toSorted()).toEqual(found.toSorted());
  expect((await searchNames('maria garcia')).slice(0, 2)).toEqual(['Garcia Maria', 'Maria Garcia']);
  expect(new Set((await searchAll('maria garcia', 1)).map(({ name }) => name))).toEqual(new Set(found));
});

test('ignores case and accents in stored and typed text', async () => {
  const names = ['Zoë', 'ZOE', 'zoé'];
  await putUsers(names.map((name) => newUser(name)));
  for (const text of ['zo', 'ZÖE', ' zoe ', 'Zo\u00e8'])
    expect((await searchNames(text)).toSorted()).toEqual(names.toSorted());
});

test('sorts by the matched text, then by creation', async () => {
  await putUsers(['Zed Ada', 'Ada Bell', 'Adam', 'Ada', 'Kim Ad'].map((name) => newUser(name)));
  expect(await searchNames('ad')).toEqual(['Kim Ad', 'Ada', 'Ada Bell', 'Zed Ada', 'Adam']);
});
test('returns a user once, although name and address match in several ways', async () => {
  const user = newUser('Ada Adams Adamson', 'ada.adams@example.org');
  await putUsers([user, newUser('Adele')]);
  for (const text of ['ad', 'ada', 'adam', 'adams', 'ada.', 'adamson'])
    for (const limit of [1, 2, 10])
      expect((await searchAll(text, limit)).filter(({ id }) => id === user.id)).toEqual([user]);
});

test.each([1, 7, 30, 200])('pages of %i users contain every match exactly once', async (limit) => {
  const users = Array.from({ length: 60 }, (_, at) => newUser(`Ada Lovelace ${at}`, `ada.${at}@example.org`));
  await putUsers(users);
  const found = await searchAll('ada', limit);
  expect(found.map(({ id }) => id).toSorted()).toEqual(users.map(({ id }) => id));
  expect(found.map(({ name }) => name)).toEqual(users.map(({ name }) => name).toSorted());
});

/** Words with common beginnings. Some beginnings exceed the longest prefix in the index. */
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

/** Finds matches without the index. Sorts them by stage, matched text and id. */
function listExpected(users: User[], text: string): string[] {
  const { query } = parseSearch(text);
  if (!query) return [];
  const { words, stages } = query;
  const rank = (user: User) => {
    const { indexed, short } = listTexts(user);
    const find = (texts: string[], starts: string[]) =>
      texts.find((each) => starts.some((start) => each.startsWith(start)));
    const stage = stages.findIndex((starts) => find(indexed, starts) !== undefined);
    const isMatch = stage >= 0 && words.every((word) => find([...indexed, ...short], word) !== undefined);
    const text = truncate(find(indexed, stages[stage] ?? []) ?? '');
    return isMatch ? [{ user, position: `${stage}${text}\t${user.id}` }] : [];
  };
  const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  const ranked = users.flatMap(rank).toSorted((one, other) => compare(one.position, other.position));
  return ranked.map(({ user }) => `${user.name} <${user.email}>`);
}

const formatUsers = (users: User[]) => users.map(({ name, email }) => `${name} <${email}>`);

type Person = { name: string; email: string };

/** Compares searches among random people with a model. */
const expectModel = (person: fc.Arbitrary<Person>, texts: fc.Arbitrary<string[]>, maxLimit: number, runs: number) =>
  fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 1, maxLength: 30 }),
      texts,
      fc.integer({ min: 1, max: maxLimit }),
      async (all, typed, limit) => {
        const users = all.map(({ name, email }) => newUser(name, email));
        await clearTable();
        await putUsers(users);
        for (const text of typed.filter((text) => findIssue(text) === undefined))
          expect([text, formatUsers(await searchAll(text, limit))]).toEqual([text, listExpected(users, text)]);
      },
    ),
    { numRuns: countRuns(runs) },
  );

test('a search finds exactly the users with a matching text, once, ordered by these texts', async () => {
  const person = fc.record({ name: manyWords, email: words.map((parts) => `${parts.join('')}@b.io`) });
  await expectModel(person, fc.array(starts, { minLength: 5, maxLength: 5 }), 9, 40);
});

const ODD_WORDS = [
  ...['Jürgen', 'Juergen', 'Müller', 'MUELLER', 'Muller', 'Sørensen', 'Ångström', 'Zoë', 'Noël', 'Łukasz', 'Großmann'],
  ...['O’Brien', "D'Angelo", 'Jean-Luc', 'St.', 'J.R.R.', '(Bob)', '🦊🦊', 'ﬁn', 'Οδυσσεύς', 'İpek', 'a', 'X', 'Ü'],
  ...['山田太郎', '山田', '太郎', '李', '明', '김철수', '철수', 'さくら', 'ジョン・スミス', 'ｶﾞｸ', '長谷川翔'],
  ...['+49 170 1234567', '+491701234567', '0170', '(0)170', '1234567', '42', '007', '2024-01-31', 'R2D2'],
];
const ODD_EMAILS = [
  'ada@firma.de',
  'jürgen.müller@müller.de',
  "o'brien@tv.ie",
  '山田@例え.jp',
  '170.42@x.io',
  'a-b+c@mail.firma.de',
];
const oddNames = fc.array(fc.constantFrom(...ODD_WORDS), { minLength: 1, maxLength: 5 }).map((all) => all.join(' '));
/** Parts of names and addresses, with other text around them as if pasted. */
const oddTexts = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.constantFrom(
          ...ODD_WORDS,
          ...ODD_EMAILS,
          '@firma.de',
          'firma.de',
          '@m',
          'mueller',
          'soeren',
          'obrien',
          '田太',
        ),
        fc.integer({ min: 1, max: 20 }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    fc.constantFrom('*', ' * ', '"*"', '*;', '(*),', 'Ada <*>', 'mailto:*'),
  )
  .map(([parts, form]) =>
    form.replace('*', () => parts.map(([text, length]) => [...text].slice(0, length).join('')).join(' ')),
  );

test('a search for odd names finds the users of a model, once, in its order', async () => {
  const person = fc.record({ name: oddNames, email: fc.constantFrom(...ODD_EMAILS) });
  await expectModel(person, fc.array(oddTexts, { minLength: 10, maxLength: 10 }), 30, 60);
});

const PLAIN = [
  'Jürgen',
  'Müller',
  'Sørensen',
  'Zoë',
  'O’Brien',
  '山田',
  '太郎',
  '김',
  '철수',
  'Ada',
  'Kim',
  'Picard',
  'Łukasz',
];
const SPELLINGS: ((word: string) => string)[] = [
  (word) => word,
  (word) => word.toUpperCase(),
  (word) => word.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC').replace('ø', 'o'),
  (word) => word.replaceAll('ü', 'ue').replaceAll('ø', 'oe'),
  (word) => word.replace('’', ''),
  (word) => word.replace('Ł', 'l'),
];

test('a user is found once by each word of the name, in any order and spelling', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...PLAIN), { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 2, max: 9 })), { minLength: 1, maxLength: 4 }),
      async (names, picks) => {
        await clearTable();
        const user = newUser(names.join(' '));
        await putUsers([user, newUser('Jürgen Ada 太郎'), newUser('Zoe Muller')]);
        const typed = picks.map(([word, spelling, length]) => {
          const text = SPELLINGS[spelling % SPELLINGS.length]?.(names[word % names.length] ?? '') ?? '';
          return [...text].slice(0, length).join('');
        });
        fc.pre(typed.some((text) => text !== 'O’')); // One letter is too short for a search.
        const found = await searchAll(typed.join(' '), 2);
        expect([typed, found.filter(({ id }) => id === user.id)]).toEqual([typed, [user]]);
      },
    ),
    { numRuns: countRuns(60) },
  );
});

test('a text longer than its key is compared to its end', async () => {
  const long = `${'x'.repeat(70)}a`;
  const user = newUser(long);
  await putUsers([user, newUser(`${'x'.repeat(70)}b`)]);
  expect(await searchAll(long)).toEqual([user]);
  expect(await searchAll('x'.repeat(65))).toHaveLength(2);
});

test('a search sees creations, renames and deletions immediately', async () => {
  const { user } = await createUser({ name: 'Ada Lovelace', email: 'at.once@example.org' }, 'test');
  expect(await searchAll('lovelace')).toEqual([user]);
  const renamed = await updateUser({ id: user.id, name: 'Ada King' }, 'test');
  expect([await searchAll('lovelace'), await searchAll('king')]).toEqual([[], [renamed]]);
  await deleteUser({ id: user.id }, 'test');
  expect([await searchAll('ad'), await searchAll('king'), await searchAll('at.o')]).toEqual([[], [], []]);
});

test('one Chinese, Japanese or Korean character finds a name by each of its words', async () => {
  const names = ['李', '李 明', '李明', '李小龙 Bruce Lee', '김 철수', '김철수', 'さくら', 'ガク'];
  const users = names.map((name) => newUser(name));
  const [bruce, sakura, gaku] = [users[3], users[6], users[7]];
  await putUsers(users);
  expect((await searchNames('李')).toSorted()).toEqual(['李', '李 明', '李小龙 Bruce Lee', '李明'].toSorted());
  for (const text of [' 明 ', '李 明', '李明', '明 李'])
    expect((await searchNames(text)).toSorted()).toEqual(['李 明', '李明'].toSorted());
  expect(await searchAll('李小龙 b')).toEqual([bruce]);
  expect(await searchAll('lee')).toEqual([bruce]);
  expect((await searchNames('김')).toSorted()).toEqual(['김 철수', '김철수']);
  for (const text of ['철', '김철']) expect((await searchNames(text)).toSorted()).toEqual(['김 철수', '김철수']);
  expect(await searchAll('さ')).toEqual([sakura]);
  expect(await searchAll('が')).toEqual([]);
  // NFKD maps the half-width character to the full-width one.
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

test('skips an entry if its user does not match or exist', async () => {
  const [ada, adam, gone] = [newUser('Ada'), newUser('Adam'), newUser('Ada Gone')];
  await putUsers([ada, adam]);
  await putItems([{ ...ada, ...userKey(ada.id), name: 'Bob' }, ...listSearchEntries(gone).map(({ key }) => key)]);
  expect(await searchAll('ada')).toEqual([adam]);
});
