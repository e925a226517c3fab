import { beforeAll, describe, expect, test } from 'vitest';
import type { UserRecord } from '../../setup/bodies.ts';
import { parseLinks } from '../../setup/links.ts';
import { bare, clients, enveloped } from './client.ts';

const COUNT = 23;
const users: UserRecord[] = [];

test('an empty list has no users, and its only page is page 1', async () => {
  expect((await enveloped.list()).json).toEqual({ data: [], meta: { total: 0 } });
  const response = await bare.list();
  expect(response).toMatchObject({ status: 200, json: [], headers: { 'x-total-count': '0' } });
  expect(Object.keys(parseLinks(response))).toEqual(['first', 'last']);
});

describe(`a list of ${COUNT} users`, () => {
  beforeAll(async () => {
    while (users.length < COUNT) users.push(await bare.newUser());
  });

  test.each(clients)('$path returns all users, oldest first', async (client) => {
    const response = await client.list();
    expect(response.status).toBe(200);
    expect(client.parseUsers(response)).toEqual(users);
  });

  test.each(clients)('$path?order=desc returns all users, newest first', async (client) => {
    expect(client.parseUsers(await client.list({ order: 'desc' }))).toEqual(users.toReversed());
    expect(client.parseUsers(await client.list({ order: 'asc' }))).toEqual(users);
    const after = String(users[3]?.id);
    expect(client.parseUsers(await client.list({ order: 'desc', after }))).toEqual(users.slice(0, 3).toReversed());
  });

  test('/api/users has no Link when it returns all users', async () => {
    expect((await enveloped.list()).headers).not.toHaveProperty('link');
  });

  test.each(clients)('$path?after= returns the users after the one with the id, in either case', async (client) => {
    const after = String(users[19]?.id);
    for (const id of [after, after.toUpperCase()])
      expect(client.parseUsers(await client.list({ after: id }))).toEqual(users.slice(20));
  });

  test('a list continued by after has no page numbers, and no total', async () => {
    const after = String(users[4]?.id);
    const response = await bare.list({ after, limit: '10' });
    expect(bare.parseUsers(response)).toEqual(users.slice(5, 15));
    expect(parseLinks(response)).toEqual({
      next: expect.objectContaining({ query: { after: users[14]?.id, limit: '10' } }),
    });
    expect(response.headers).not.toHaveProperty('x-total-count');
    const timed = await bare.list({ after, limit: '10', include: 'times' });
    expect(parseLinks(timed).next?.query).toEqual({ after: users[14]?.id, limit: '10', include: 'times' });
  });

  test('after may be the id of a deleted user', async () => {
    const deleted = await bare.newUser();
    const next = await bare.newUser();
    await bare.remove(deleted.id);
    expect(enveloped.parseUsers(await enveloped.list({ after: deleted.id }))).toEqual([next]);
    await bare.remove(next.id);
  });

  test.each([7, 22, 23])('/v1/users has pages of %i users, in either order', async (limit) => {
    const pages = Math.ceil(COUNT / limit);
    for (const [order, ordered] of Object.entries({ asc: users, desc: users.toReversed() }))
      for (let page = 1; page <= pages + 1; page++) {
        const response = await bare.list({ page: String(page), limit: String(limit), order });
        expect(response).toMatchObject({ status: 200, headers: { 'x-total-count': String(COUNT) } });
        expect(bare.parseUsers(response)).toEqual(ordered.slice((page - 1) * limit, page * limit));
      }
  });

  test('/v1/users returns an empty page after the last one, even for huge numbers', async () => {
    for (const page of ['9', '100000', String(Number.MAX_SAFE_INTEGER)]) {
      const response = await bare.list({ page, limit: '10' });
      expect(response).toMatchObject({ status: 200, json: [], headers: { 'x-total-count': String(COUNT) } });
    }
  });

  test.each([
    ['the first page', 1, ['first', 'next', 'last'], { next: '2', last: '3' }],
    ['a middle page', 2, ['first', 'prev', 'next', 'last'], { prev: '1', next: '3', last: '3' }],
    ['the last page', 3, ['first', 'prev', 'last'], { prev: '2', last: '3' }],
    ['a page after the last one', 9, ['first', 'prev', 'last'], { prev: '3', last: '3' }],
  ])('Link of %s leads to the pages around it', async (_, page, relations, pages) => {
    const links = parseLinks(await bare.list({ page: String(page), limit: '10' }));
    expect(Object.keys(links)).toEqual(relations);
    for (const [relation, number] of Object.entries({ first: '1', ...pages }))
      expect(links[relation]).toMatchObject({ path: '/v1/users', query: { page: number, limit: '10' } });
  });

  test.each([
    ['next', '1', 'asc'],
    ['prev', '4', 'asc'],
    ['next', '1', 'desc'],
    ['prev', '4', 'desc'],
  ])('following the %s links from page %s visits every user exactly once, order=%s', async (relation, page, order) => {
    const pages: UserRecord[][] = [];
    let query: Record<string, string> | undefined = { page, limit: '7', order };
    while (query) {
      const response = await bare.list(query);
      pages.push(bare.parseUsers(response));
      query = parseLinks(response)[relation]?.query;
    }
    const visited = (relation === 'next' ? pages : pages.toReversed()).flat();
    expect(visited).toEqual(order === 'asc' ? users : users.toReversed());
  });

  test('the list and the total show a create, an update and a delete at once', async () => {
    const user = await enveloped.newUser();
    await enveloped.update(user.id, { name: 'Renamed' });
    const response = await bare.list();
    expect(response.headers['x-total-count']).toBe(String(COUNT + 1));
    expect(bare.parseUsers(response)).toEqual([...users, { ...user, name: 'Renamed' }]);
    await enveloped.remove(user.id);
    expect((await bare.list({ limit: '1' })).headers['x-total-count']).toBe(String(COUNT));
    expect(bare.parseUsers(await bare.list())).toEqual(users);
  });
});
