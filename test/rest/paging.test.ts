import { beforeAll, describe, expect, test } from 'vitest';
import type { UserRecord } from '../setup/bodies.ts';
import { parseLinks } from '../setup/links.ts';
import { bare, enveloped, parseError } from './client.ts';

const COUNT = 23;
const users: UserRecord[] = [];

describe('a list of no users', () => {
  test('is empty, and all of it', async () => {
    expect((await enveloped.list()).json).toEqual({ data: [], meta: { total: 0 } });
    const reply = await bare.list();
    expect(reply).toMatchObject({ status: 200, json: [], headers: { 'x-total-count': '0' } });
    expect(Object.keys(parseLinks(reply))).toEqual(['first', 'last']);
  });
});

describe(`a list of ${COUNT} users`, () => {
  beforeAll(async () => {
    while (users.length < COUNT) users.push(await bare.newUser());
  });

  test('is whole and oldest first at either shape', async () => {
    for (const client of [enveloped, bare]) {
      const reply = await client.list();
      expect(reply.status).toBe(200);
      expect(client.parseUsers(reply)).toEqual(users);
    }
  });

  test('has no Link where it is whole, at /api/users', async () => {
    expect((await enveloped.list()).headers).not.toHaveProperty('link');
  });

  test('goes on behind a user at /api/users', async () => {
    const reply = await enveloped.list({ after: String(users[19]?.id) });
    expect(enveloped.parseUsers(reply)).toEqual(users.slice(20));
  });

  test('goes on behind a user who has been deleted since', async () => {
    const gone = await bare.newUser();
    const next = await bare.newUser();
    await bare.remove(gone.id);
    expect(enveloped.parseUsers(await enveloped.list({ after: gone.id }))).toEqual([next]);
    await bare.remove(next.id);
  });

  test.each(['', 'x', '-1', 'USER#1'])('is 400 behind %j, which is no id', async (after) => {
    for (const client of [enveloped, bare]) {
      const reply = await client.list({ after });
      expect(reply.status).toBe(400);
      expect(parseError(reply).issues).toMatchObject([{ path: ['after'] }]);
    }
  });

  test.each([1, 2, 7, 22, 23, 24, 1000])('has numbered pages of %i at /v1/users', async (limit) => {
    const pages = Math.ceil(COUNT / limit);
    for (let page = 1; page <= pages + 1; page++) {
      const reply = await bare.list({ page: String(page), limit: String(limit) });
      expect(reply).toMatchObject({ status: 200, headers: { 'x-total-count': String(COUNT) } });
      expect(bare.parseUsers(reply)).toEqual(users.slice((page - 1) * limit, page * limit));
    }
  });

  test('has an empty page however far behind its end', async () => {
    for (const page of ['9', '100000', String(Number.MAX_SAFE_INTEGER)])
      expect(await bare.list({ page, limit: '10' })).toMatchObject({
        status: 200,
        json: [],
        headers: { 'x-total-count': String(COUNT) },
      });
  });

  test.each(['0', '-1', '1.5', '1e2', '0x1', '+1', ' 1', '', 'x', 'null', '1,2', '9'.repeat(30)])(
    'is 400 at page %j, and with that as limit',
    async (value) => {
      for (const parameter of ['page', 'limit']) {
        const reply = await bare.list({ [parameter]: value });
        expect(reply.status).toBe(400);
        expect(parseError(reply).issues?.map(({ path }) => path)).toContainEqual([parameter]);
      }
    },
  );

  test('is 400 with a limit above 1000', async () => {
    expect((await bare.list({ limit: '1000' })).status).toBe(200);
    expect((await bare.list({ limit: '1001' })).status).toBe(400);
  });

  test.each([
    ['the first page', 1, ['first', 'next', 'last'], { next: '2', last: '3' }],
    ['a page between', 2, ['first', 'prev', 'next', 'last'], { prev: '1', next: '3', last: '3' }],
    ['the last page', 3, ['first', 'prev', 'last'], { prev: '2', last: '3' }],
    ['a page behind the last', 9, ['first', 'prev', 'last'], { prev: '3', last: '3' }],
  ])('links %s to its neighbours', async (_, page, relations, pages) => {
    const links = parseLinks(await bare.list({ page: String(page), limit: '10' }));
    expect(Object.keys(links)).toEqual(relations);
    for (const [relation, number] of Object.entries({ first: '1', ...pages }))
      expect(links[relation]).toMatchObject({ path: '/v1/users', query: { page: number, limit: '10' } });
  });

  test.each([
    ['next', '1'],
    ['prev', '4'],
  ])('gives every user exactly once to who follows its %s links', async (relation, page) => {
    const pages: UserRecord[][] = [];
    let query: Record<string, string> | undefined = { page, limit: '7' };
    while (query) {
      const reply = await bare.list(query);
      pages.push(bare.parseUsers(reply));
      query = parseLinks(reply)[relation]?.query;
    }
    const inOrder = relation === 'next' ? pages : pages.toReversed();
    expect(inOrder.flat()).toEqual(users);
  });

  test('follows what is created and deleted at once', async () => {
    const made = await enveloped.newUser();
    expect((await bare.list({ limit: '1' })).headers['x-total-count']).toBe(String(COUNT + 1));
    expect(bare.parseUsers(await bare.list()).at(-1)).toEqual(made);
    await enveloped.remove(made.id);
    expect((await bare.list({ limit: '1' })).headers['x-total-count']).toBe(String(COUNT));
    expect(bare.parseUsers(await bare.list())).toEqual(users);
  });

  test('shows an update in its place', async () => {
    const [user] = users;
    if (!user) throw new Error('There are users');
    await bare.update(user.id, { name: 'Renamed' });
    expect(bare.parseUsers(await bare.list({ limit: '1' }))).toEqual([{ ...user, name: 'Renamed' }]);
    await bare.update(user.id, { name: user.name });
  });
});
