import { afterEach, expect, test, vi } from 'vitest';
import { measureCost } from '../../../../infra/bench/measure.ts';
import { createPeople } from '../../../../infra/local/sample.ts';
import { listTexts } from '../../../../lib/features/search/entries.ts';
import { searchCriterion } from '../../../../lib/features/search/search.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { listUsers } from '../../../../lib/users/list.ts';
import { createUser, updateUser } from '../../../../lib/users/write.ts';
import { newUser } from '../../users/stored-user.ts';
import { clearTable } from '../page-index/fixtures.ts';
import { putUsers, searchUsers } from './fixtures.ts';

test('20 users cost at most 12 RCU and two round trips, although names and addresses begin alike', async () => {
  const people = createPeople(1000);
  await putUsers(people.map(({ name, email }) => newUser(name, email)));
  const starts = findStarts(people, 20);
  expect(starts.length).toBeGreaterThan(10);
  for (const text of starts) {
    expect((await searchUsers({ text, limit: 20 })).users, text).toHaveLength(20);
    const { reads, requests } = await measureCost(() => searchUsers({ text, limit: 20 }));
    expect(requests, text).toBe(2);
    expect(reads, text).toBeLessThanOrEqual(12);
  }
});

function findStarts(people: { name: string; email: string }[], count: number): string[] {
  const starts = people.map((person) => new Set(listTexts(person).indexed.map((text) => text.slice(0, 2))));
  const finds = (start: string) => starts.filter((those) => those.has(start)).length;
  return [...new Set(starts.flatMap((those) => [...those]))].filter((start) => finds(start) >= count);
}

/** Returns ten words that begin with `start`. Each word has a search entry. */
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
  'users with ten words and an address that begin with %j cost no more: %i parallel queries, then one batch',
  async (text, queries) => {
    await clearTable();
    const users = Array.from({ length: 60 }, (_, at) => newUser(createName(text), `${text}${at}@example.org`));
    await putUsers(users);
    let read = 0;
    const page = await searchUsers({ text, limit: 20 }, (entries) => {
      read += entries;
    });
    expect(page.users.map(({ user: { id } }) => id)).toEqual(users.slice(0, 20).map(({ id }) => id));
    expect(read).toBe(queries + 20);
    const { reads, requests, rounds } = await measureCost(() => searchUsers({ text, limit: 20 }));
    expect({ requests, rounds }).toEqual({ requests: queries + 1, rounds: 2 });
    expect(reads).toBeLessThanOrEqual(10 + 0.5 * queries);
  },
);

test.each(['adamantine', '李李李李李李李李李李'])(
  'users with words that differ only after the longest prefix are found at a bounded cost: %j',
  async (text) => {
    await clearTable();
    await putUsers(Array.from({ length: 60 }, (_, at) => newUser(createName(text), `${text}${at}@example.org`)));
    let read = 0;
    await searchUsers({ text, limit: 20 }, (entries) => {
      read += entries;
    });
    expect(read).toBeLessThan(350);
  },
);

test.each(['adamantine', '李李李李李李李李李李', '김철수'])(
  '%j is searched by seven parallel queries',
  async (text) => {
    await clearTable();
    expect(await measureCost(() => searchUsers({ text, limit: 1 }))).toMatchObject({ requests: 7, rounds: 1 });
  },
);

test('a full page for two words in the typed order costs as much as for one word', async () => {
  await clearTable();
  const names = Array.from({ length: 60 }, () => ['Maria Garcia', 'Maria Lopez', 'Juan Garcia']).flat();
  await putUsers(names.map((name, at) => newUser(name, `${at}@example.org`)));
  for (const text of ['maria garcia', 'garcia mar']) {
    expect((await searchUsers({ text, limit: 20 })).users).toHaveLength(20);
    const { reads, rounds } = await measureCost(() => searchUsers({ text, limit: 20 }));
    expect(rounds, text).toBe(2);
    expect(reads, text).toBeLessThanOrEqual(14);
  }
});

test('a request reads a bounded number of users if few of many match the other word', async () => {
  await clearTable();
  const names = Array.from({ length: 250 }, (_, at) => `Maria ${at < 249 ? 'Lopez' : 'Paz Oz'}`);
  await putUsers(names.map((name, at) => newUser(name, `${at}@example.org`)));
  const found: string[] = [];
  let after: string | undefined;
  let pages = 0;
  do {
    const reads: number[] = [];
    const page = await searchUsers({ text: 'oz maria', limit: 20, after }, (items) => reads.push(items));
    expect(reads.reduce((sum, items) => sum + items)).toBeLessThanOrEqual(400);
    found.push(...page.users.map(({ user }) => user.name));
    after = page.next;
    pages += 1;
  } while (after);
  expect([found, pages]).toEqual([['Maria Paz Oz'], 1]);
});

test('a list costs at most 161 RCU and seven round trips if no user of many matches the other word', async () => {
  await clearTable();
  await putUsers(Array.from({ length: 350 }, (_, at) => newUser('Maria Lopez', `${at}@example.org`)));
  const query = { limit: 20, criteria: [searchCriterion('oz maria')] };
  expect(await listUsers(query)).toMatchObject({ users: [], next: expect.any(String) });
  const { reads, rounds } = await measureCost(() => listUsers(query));
  expect([reads, rounds]).toEqual([161, 7]);
});

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['Ada Lovelace', 'Ada King', 'Grace Hopper', 'on'],
  ['李 明', '李 王', '张 赵', 'on'],
  ['Ada Lovelace', 'Ada King', 'Grace Hopper', 'off'],
])('creates, renames and deletes a user with two words: %j', async (name, oneWord, bothWords, domainSearch) => {
  vi.stubEnv('DOMAIN_SEARCH', domainSearch);
  const { email } = newUser(name);
  const created = await measureCost(() => createUser({ name, email }, 'test'));
  const id = (await searchUsers({ text: name.slice(0, 2), limit: 1 })).users[0]?.user.id ?? '';
  const rename = (to: string) => measureCost(() => updateUser({ id, name: to }, 'test'));
  const renamed = [await rename(oneWord), await rename(bothWords)];
  const deleted = await measureCost(() => deleteUser({ id }, 'test'));
  const [create, remove] = domainSearch === 'on' ? [15, 21] : [13, 19];
  expect([created, ...renamed, deleted].map(({ writes, indexWrites }) => writes + indexWrites)).toEqual([
    ...[create, 15, 15, remove],
  ]);
});
