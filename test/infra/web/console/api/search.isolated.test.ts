import '../browser-globals.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { listMatches } from '../../../../../infra/web/console/api/search.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';
import type { OwnField } from '../../../../../lib/users/fields/declaration.ts';

afterEach(() => ownFields.set(() => []));

const megan = { id: '1', name: 'Megan Gottlieb', email: 'megan@example.org' };
const ada = { id: '2', name: 'Ada King', email: 'ada@example.org' };

/** `lists`: users and the next cursor, by query. */
function simulateLists(lists: Record<string, { users: object[]; next?: string }>) {
  const requests: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    const query = new URL(path, 'http://localhost').search.replace('?include=times&', '');
    requests.push(query);
    const { users, next } = lists[query] ?? { users: [] };
    return Response.json(users, { headers: next ? { link: `</v1/users?${next}>; rel="next"` } : {} });
  });
  return requests;
}

/** Requests for owners. Omits the search itself. */
async function listOwnerRequests(text: string): Promise<string[]> {
  const requests = simulateLists({});
  await listMatches({ q: text, filter: {}, limit: 20 });
  return requests.filter((query) => query.startsWith('limit=1&')).toSorted();
}

test('a short page is filled from the following ones in a few requests', async () => {
  const requests = simulateLists({
    'limit=2&q=king%20ada': { users: [ada], next: 'q=king%20ada&limit=2&after=c1' },
    'limit=1&after=c1&q=king%20ada': { users: [], next: 'q=king%20ada&limit=1&after=c2' },
    'limit=1&after=c2&q=king%20ada': { users: [megan], next: 'q=king%20ada&limit=1&after=c3' },
  });
  expect(await listMatches({ q: 'king ada', filter: {}, limit: 2 })).toEqual({ users: [ada, megan], next: 'c3' });
  expect(requests).toHaveLength(3);
  const next = (after: string) => ({ users: [], next: `q=rare%20ada&limit=2&after=${after}x` });
  simulateLists({
    'limit=2&q=rare%20ada': { users: [], next: 'q=rare%20ada&limit=2&after=x' },
    ...Object.fromEntries(
      ['x', 'xx', 'xxx', 'xxxx'].map((after) => [`limit=2&after=${after}&q=rare%20ada`, next(after)]),
    ),
  });
  expect(await listMatches({ q: 'rare ada', filter: {}, limit: 2 })).toEqual({ users: [], next: 'xxxxx' });
});

test('a user whose unique field equals the text comes first, once', async () => {
  ownFields.set(() => [
    { name: 'nickname', type: 'string', unique: true, maxLength: 10 },
    { name: 'memberNumber', type: 'string', unique: true, pattern: '^[A-Z]{2}-[0-9]{4}$' },
    { name: 'seat', type: 'integer', unique: true, maximum: 50 },
    { name: 'handle', type: 'string', unique: true, search: true },
    { name: 'city', type: 'string' },
  ]);
  const requests = simulateLists({
    'limit=20&q=ada': { users: [megan, ada] },
    'limit=1&nickname=ada': { users: [ada] },
    'limit=1&seat=42': { users: [megan] },
  });
  expect((await listMatches({ q: 'ada', filter: {}, limit: 20 })).users).toEqual([ada, megan]);
  // Only `nickname` is queried: the text is invalid for other unique fields, or the search covers them.
  expect(requests.toSorted()).toEqual(['limit=1&nickname=ada', 'limit=20&q=ada']);
  expect((await listMatches({ q: '42', filter: {}, limit: 20 })).users).toEqual([megan]);
});

test('a unique field is queried for more words than its search finds', async () => {
  ownFields.set(() => [{ name: 'handle', type: 'string', unique: true, search: { maxWords: 2 } }]);
  expect(await listOwnerRequests('ada king')).toEqual([]);
  expect(await listOwnerRequests('ada king lovelace')).toEqual(['limit=1&handle=ada%20king%20lovelace']);
});

test('an exact field is searched for the unchanged text, with its case and spaces', async () => {
  ownFields.set(() => [
    { name: 'account', type: 'string', unique: 'exact' },
    { name: 'code', type: 'string', unique: 'exact', pattern: '^[a-z ]+$' },
    { name: 'nickname', type: 'string', unique: true },
  ]);
  expect(await listOwnerRequests(' Ada')).toEqual(['limit=1&account=%20Ada', 'limit=1&nickname=Ada']);
});

test('the owner of a whole address comes first', async () => {
  const megans = { ...ada, email: 'megan@example.org.uk' };
  simulateLists({
    'limit=20&q=Megan%40example.org': { users: [megans, megan] },
    'limit=1&email=Megan%40example.org': { users: [megan] },
  });
  const { users } = await listMatches({ q: 'Megan@example.org', filter: {}, limit: 20 });
  expect(users).toEqual([megan, megans]);
});

test('filters and sort apply to the search and to the owner of a unique value', async () => {
  ownFields.set(() => [
    { name: 'nickname', type: 'string', unique: true },
    { name: 'plan', type: 'string', filter: true },
  ]);
  const filter = { plan: 'pro' };
  const requests = simulateLists({
    'limit=1&plan=pro&nickname=ada': { users: [megan] },
    'limit=20&plan=pro&q=ada&sort=name&order=desc': { users: [ada] },
  });
  expect((await listMatches({ q: 'ada', filter, limit: 20 })).users).toEqual([megan]);
  expect(requests.toSorted()).toEqual(['limit=1&plan=pro&nickname=ada', 'limit=20&plan=pro&q=ada']);
  // A sorted list shows the owner of a unique value only if the search finds no other user.
  expect((await listMatches({ q: 'ada', filter, sort: 'name', order: 'desc', limit: 20 })).users).toEqual([ada]);
  expect((await listMatches({ q: 'ada', filter, sort: 'plan', order: 'asc', limit: 20 })).users).toEqual([megan]);
});

test.each<[string, Omit<OwnField, 'name'>, string, boolean]>([
  ['a whole number', { type: 'integer' }, '42', true],
  ['a text that begins with a number', { type: 'integer' }, '5x', false],
  ['a text that ends with a number', { type: 'integer' }, 'x5', false],
  ['a text like the pattern, ignoring case', { type: 'string', pattern: '^[A-Z]+$' }, 'ada', true],
  ['a text unlike the pattern', { type: 'string', pattern: '^[A-Z]+$' }, 'ada 1', false],
  ['a decimal number', { type: 'number' }, '5', false],
])('a unique field is searched only for a possible value: %s', async (_, field, text, isSearched) => {
  ownFields.set(() => [{ name: 'code', unique: true, ...field }]);
  expect(await listOwnerRequests(text)).toHaveLength(isSearched ? 1 : 0);
});

test('a filter by another value of the unique field has no owner', async () => {
  ownFields.set(() => [{ name: 'nickname', type: 'string', unique: true }]);
  const requests = simulateLists({ 'limit=1&nickname=ada': { users: [ada] } });
  const find = (nickname: string | string[]) => listMatches({ q: 'ada', filter: { nickname }, limit: 20 });
  expect((await find('bea')).users).toEqual([]);
  expect(requests).toEqual(['limit=20&nickname=bea&q=ada']);
  expect((await find('ada')).users).toEqual([ada]);
  expect((await find(['bea', 'ada'])).users).toEqual([ada]);
  expect(requests).toContain('limit=20&nickname=bea&nickname=ada&q=ada');
});

test('a failed lookup is ignored, because the search reports the error', async () => {
  ownFields.set(() => [{ name: 'nickname', type: 'string', unique: true }]);
  vi.stubGlobal('fetch', async (path: string) =>
    path.includes('q=ada')
      ? Response.json([megan])
      : Response.json({ detail: 'No', code: 'FORBIDDEN' }, { status: 403 }),
  );
  expect((await listMatches({ q: 'ada', filter: {}, limit: 20 })).users).toEqual([megan]);
});
