import '../browser-globals.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { findOwners, searchUsers } from '../../../../../infra/web/console/api/search.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';

afterEach(() => ownFields.set(() => []));

const megan = { id: '1', name: 'Megan Gottlieb', email: 'megan@example.org' };
const ada = { id: '2', name: 'Ada King', email: 'ada@example.org' };

/** Stands for the lists of the service: users by the query that finds them, with the cursor of the next page. */
function simulateLists(lists: Record<string, { users: object[]; next?: string }>) {
  const requests: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    const query = new URL(path, 'http://localhost').search.slice(1);
    requests.push(query);
    const { users, next } = lists[query] ?? { users: [] };
    return Response.json(users, { headers: next ? { link: `</v1/users?${next}>; rel="next"` } : {} });
  });
  return requests;
}

test('words that nobody has in this order are searched in the other one, page after page', async () => {
  const requests = simulateLists({
    'q=megan%20gottlieb&limit=1': { users: [megan], next: 'q=megan%20gottlieb&limit=1&after=c1' },
    'q=megan%20gottlieb&limit=1&after=c1': { users: [ada] },
  });
  const first = await searchUsers({ q: 'gottlieb megan', limit: 1 });
  expect(first.users).toEqual([megan]);
  expect(await searchUsers({ q: 'gottlieb megan', limit: 1, after: first.next ?? '' })).toEqual({ users: [ada] });
  // The second page needs no search in the order that finds nobody.
  expect(requests).toHaveLength(3);
});

test('words that no name begins with in any order of two are found by the longest of them, page after page', async () => {
  const others = [1, 2, 3].map((number) => ({
    id: `m${number}`,
    name: `Megan-${number} Gottlob`,
    email: 'x@example.org',
  }));
  simulateLists({
    'q=gottl&limit=100': { users: [megan, ada], next: 'q=gottl&limit=100&after=c1' },
    'q=gottl&limit=100&after=c1': { users: others },
  });
  const pages: string[][] = [];
  for (let after: string | undefined; ; ) {
    const { users, next } = await searchUsers({ q: 'gottl meg', limit: 2, ...(after ? { after } : {}) });
    pages.push(users.map(({ id }) => id));
    if (next === undefined) break;
    after = next;
  }
  expect(pages).toEqual([
    ['1', 'm1'],
    ['m2', 'm3'],
  ]);
  expect((await searchUsers({ q: 'gottl x@', limit: 2 })).users).toHaveLength(2);
});

test('the user who has the text as the value of a unique field comes first, once', async () => {
  ownFields.set(() => [
    { name: 'nickname', type: 'string', unique: true, maxLength: 10 },
    { name: 'memberNumber', type: 'string', unique: true, pattern: '^[A-Z]{2}-[0-9]{4}$' },
    { name: 'seat', type: 'integer', unique: true, maximum: 50 },
    { name: 'handle', type: 'string', unique: true, search: true },
    { name: 'city', type: 'string' },
  ]);
  const requests = simulateLists({
    'q=ada&limit=20': { users: [megan, ada] },
    'nickname=ada': { users: [ada] },
    'seat=42': { users: [megan] },
  });
  expect((await searchUsers({ q: 'ada', limit: 20 })).users).toEqual([ada, megan]);
  // The text is no value of the other fields, or the search finds it.
  expect(requests.toSorted()).toEqual(['nickname=ada', 'q=ada&limit=20']);
  expect((await searchUsers({ q: '42', limit: 20 })).users).toEqual([megan]);
  expect((await searchUsers({ q: '51', limit: 20 })).users).toEqual([]);
  expect(requests).not.toContain('seat=51');
});

test('an exact field is searched for the text as it was typed, in its case and with its spaces', async () => {
  ownFields.set(() => [
    { name: 'account', type: 'string', unique: 'exact' },
    { name: 'code', type: 'string', unique: 'exact', pattern: '^[a-z ]+$' },
    { name: 'nickname', type: 'string', unique: true },
  ]);
  const requests = simulateLists({});
  await findOwners(' Ada');
  expect(requests.toSorted()).toEqual(['account=%20Ada', 'nickname=Ada']);
});
