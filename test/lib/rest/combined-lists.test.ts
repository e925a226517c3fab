import { BatchGetCommand, type BatchGetCommandOutput } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { table } from '../../../lib/dynamodb/client.ts';
import { sizes } from '../../../lib/sizes.ts';
import type { UserRecord } from '../../setup/bodies.ts';
import { parseLinks } from '../../setup/links.ts';
import { createUsersAt } from '../features/page-index/fixtures.ts';
import { bare, clients, parseError, UNKNOWN_ID } from './client.ts';

const users: UserRecord[] = [];
const times: number[] = [];

beforeAll(async () => {
  for (const name of ['Ada King', 'Bea King', 'Ada Lovelace', 'Cy Young', 'Ada Byron']) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    users.push(await bare.newUser({ name }));
    times.push(Number.parseInt(String(users.at(-1)?.id).replaceAll('-', '').slice(0, 12), 16));
  }
});

const formatTime = (at: number) => new Date(times[at] ?? 0).toISOString();
const findId = (at: number) => String(users[at]?.id);

describe.each(clients)('$path', (client) => {
  const list = async (query: Parameters<typeof client.list>[0]) =>
    client.parseUsers(await client.list(query)).map(({ name }) => name);

  test('lists users in the order of the ids, and skips unknown ids', async () => {
    const id = [findId(3), UNKNOWN_ID, findId(0).toUpperCase(), findId(3)];
    expect(await list({ id })).toEqual(['Cy Young', 'Ada King']);
    expect(await list({ id: findId(1) })).toEqual(['Bea King']);
    expect(await list({ id: UNKNOWN_ID })).toEqual([]);
  });

  test('returns 400 when an id is malformed, also for ids that are separated by commas', async () => {
    const message = 'must be the id of a user; repeat the parameter for several ids';
    for (const id of ['nonsense', '', `${findId(0)},${findId(1)}`, ` ${findId(0)}`, [findId(0), 'x']]) {
      const response = await client.list({ id });
      expect([id, response.status]).toEqual([id, 400]);
      expect(parseError(response).issues).toEqual([{ path: ['id'], message }]);
    }
  });

  test('lists users in the order of the ids when the database returns another order', async () => {
    table.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const { Responses = {} } = result.output as BatchGetCommandOutput; // The list sends only this command.
        for (const items of Object.values(Responses)) items.reverse();
        return result;
      },
      { step: 'initialize', name: 'reverse' },
    );
    expect(await list({ id: [findId(3), findId(0), findId(1)] })).toEqual(['Cy Young', 'Ada King', 'Bea King']);
    table.middlewareStack.remove('reverse');
  });

  test('returns 400 for more than 100 ids', async () => {
    const response = await client.list({ id: Array.from({ length: 101 }, () => UNKNOWN_ID) });
    expect(response.status).toBe(400);
    expect(parseError(response).issues).toEqual([{ path: ['id'], message: 'must be given at most 100 times' }]);
    expect(await list({ id: [findId(0), ...Array.from({ length: 99 }, () => UNKNOWN_ID)] })).toEqual(['Ada King']);
  });

  test('the plus of an offset may be unencoded, and arrives as a space', async () => {
    const [, time = ''] = /^(.*)Z$/.exec(formatTime(3)) ?? [];
    for (const offset of ['+00:00', ' 00:00'])
      expect(await list({ createdAfter: time + offset })).toEqual(['Ada Byron']);
  });

  test('lists the users created in a period, in both orders', async () => {
    expect(await list({ createdAfter: formatTime(0) })).toEqual(['Bea King', 'Ada Lovelace', 'Cy Young', 'Ada Byron']);
    expect(await list({ createdAfter: formatTime(0), createdBefore: formatTime(3), order: 'desc' })).toEqual([
      'Ada Lovelace',
      'Bea King',
    ]);
    expect(await list({ createdAfter: formatTime(3), createdBefore: formatTime(1) })).toEqual([]);
    expect(await list({ createdAfter: '2000-01-01', createdBefore: formatTime(1) })).toEqual(['Ada King']);
  });

  test.each([
    ...['', 'yesterday', '2026-13-01', '2026-11-31', '2026-01-01T12:00:00', '2026-02-30T12:00:00Z'],
    ...['0000-12-31', '0001-01-01T00:00:00+05:00', '9999-12-31T23:59:59-01:00'],
  ])('returns 400 for the time %j', async (createdAfter) => {
    const response = await client.list({ createdAfter });
    expect(response.status).toBe(400);
    expect(parseError(response).issues).toEqual([
      {
        path: ['createdAfter'],
        message:
          'must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z, in the years 0001 to 9999 in UTC',
      },
    ]);
  });

  test('filters the results of a search by creation time', async () => {
    expect(await list({ q: 'ada', createdAfter: formatTime(0) })).toEqual(['Ada Byron', 'Ada Lovelace']);
    expect(await list({ q: 'ada', createdAfter: formatTime(4) })).toEqual([]);
  });

  test('filters users found by id', async () => {
    expect(await list({ id: [findId(3), findId(0)], q: 'ada' })).toEqual(['Ada King']);
  });

  test('returns 400 for order together with id', async () => {
    const response = await client.list({ id: findId(0), order: 'desc' });
    expect(parseError(response).issues).toEqual([
      { path: ['order'], message: 'cannot be combined with id: users are listed in the order of the ids' },
    ]);
  });
});

test('both ends of a period are exclusive, to the millisecond', async () => {
  const start = Date.parse('2001-01-01T00:00:00.010Z');
  const ids = await createUsersAt([0, 1, 2, 3].map((milliseconds) => start + milliseconds));
  const list = async (after: number, before: number) => {
    const [createdAfter, createdBefore] = [after, before].map((at) => new Date(start + at).toISOString());
    const found = bare.parseUsers(await bare.list({ createdAfter, createdBefore } as Record<string, string>));
    return found.map(({ id }) => ids.indexOf(id));
  };
  expect(await list(0, 3)).toEqual([1, 2]);
  expect(await list(-1, 1)).toEqual([0]);
  expect(await list(1, 2)).toEqual([]);
  for (const id of ids) await bare.remove(id);
});

test('links of /v1/users repeat all parameters and lead to every match once', async () => {
  const query = { createdAfter: formatTime(0), createdBefore: formatTime(4), limit: '1' };
  const found: string[] = [];
  let next: Record<string, string> | undefined = query;
  while (next) {
    const response = await bare.list(next);
    found.push(...bare.parseUsers(response).map(({ name }) => name));
    next = parseLinks(response).next?.query;
    if (next) expect(next).toMatchObject(query);
  }
  expect(found).toEqual(['Bea King', 'Ada Lovelace', 'Cy Young']);
  const whole = await bare.list({ ...query, limit: '3' });
  expect(parseLinks(whole).next).toBeUndefined();
});

test('pages of a sorted search link to the next page, with cursors of the sorted list', async () => {
  const found: string[] = [];
  let next: Record<string, string> | undefined = { q: 'ada', sort: 'name', order: 'desc', limit: '1' };
  while (next) {
    const response = await bare.list(next);
    found.push(...bare.parseUsers(response).map(({ name }) => name));
    next = parseLinks(response).next?.query;
  }
  expect(found).toEqual(['Ada Lovelace', 'Ada King', 'Ada Byron']);
  const foreign = await bare.list({ q: 'ada', sort: 'name', after: findId(0) });
  const message = 'must be from a link to the next page of the list by name';
  expect(parseError(foreign).issues).toEqual([{ path: ['after'], message }]);
});

test('a page that ends with the last match links to no other page', async () => {
  for (const query of [
    { q: 'ada', sort: 'name', limit: '3' },
    { id: [findId(2), findId(1)], limit: '2' },
  ]) {
    const response = await bare.list(query as Record<string, string>);
    expect(bare.parseUsers(response)).toHaveLength(Number(query.limit));
    expect(parseLinks(response).next).toBeUndefined();
  }
});

test('pages of ids link to the next page', async () => {
  const first = await bare.list({ id: [findId(2), findId(1), findId(0)], limit: '2' });
  expect(bare.parseUsers(first).map(({ name }) => name)).toEqual(['Ada Lovelace', 'Bea King']);
  expect(first.headers.link).toContain(`after=${findId(1)}&id=${findId(2)}&id=${findId(1)}&id=${findId(0)}`);
});

test('/v1/users returns 400 for page together with ids', async () => {
  const response = await bare.list({ id: [findId(0), findId(1)], page: '2', limit: '1' });
  const message = 'cannot be combined with id; use after';
  expect(parseError(response).issues).toEqual([{ path: ['page'], message }]);
});

test('a lookup of one user has a page number and a total, also with other parameters', async () => {
  const { email } = users[0] as UserRecord; // The test created five users.
  for (const query of [{ sort: 'name' }, { id: [findId(1), findId(0)] }, {}]) {
    const [first, second] = [await bare.list({ ...query, email }), await bare.list({ ...query, email, page: '2' })];
    expect(bare.parseUsers(first).map(({ name }) => name)).toEqual(['Ada King']);
    expect(first.headers['x-total-count']).toBe('1');
    expect(bare.parseUsers(second)).toEqual([]);
  }
  const after = await bare.list({ email, after: findId(0) });
  expect(after.headers['x-total-count']).toBe('1');
  expect(bare.parseUsers(after)).toEqual([]);
});

test('links of an empty list lead to the empty list', async () => {
  const response = await bare.list({ email: String(users[0]?.email), id: UNKNOWN_ID });
  expect(bare.parseUsers(response)).toEqual([]);
  const { first, last } = parseLinks(response);
  for (const link of [first, last]) {
    const linked = await bare.list(link?.query ?? {});
    expect(bare.parseUsers(linked)).toEqual([]);
    expect(linked.headers['x-total-count']).toBe('0');
  }
});

test('a search with a period reads users in batches', async () => {
  const requests = vi.spyOn(table, 'send');
  await bare.list({ q: 'ada', createdAfter: formatTime(4), limit: '1' });
  expect(requests.mock.calls.filter(([command]) => command instanceof BatchGetCommand)).toHaveLength(1);
  requests.mockRestore();
});

test('/v1/users returns 400 for page together with a period, and names after', async () => {
  const response = await bare.list({ createdAfter: '2026-01-01', page: '1' });
  expect(parseError(response).issues).toEqual([
    { path: ['page'], message: 'cannot be combined with createdAfter; use after' },
  ]);
});

test.each([
  [{ page: '1', q: 'a' }, 'q'],
  [{ page: '1', createdAfter: 'yesterday' }, 'createdAfter'],
  [{ page: '0', changedSince: 'yesterday' }, 'page, changedSince'],
  [{ limit: '0', page: '2', q: 'ada' }, 'limit'],
])('/v1/users names the invalid parameters of %j', async (query, names) => {
  const response = await bare.list(query);
  expect(response.status).toBe(400);
  expect(parseError(response).issues?.map(({ path }) => path.join())).toEqual(names.split(', '));
});

describe('with small sizes', () => {
  const before = { ...sizes };
  afterEach(() => Object.assign(sizes, before));

  test('a page with few matches reads a bounded number of users and links to the rest', async () => {
    Object.assign(sizes, { batchGet: 2, pageReads: 2 });
    const pages: string[][] = [];
    let next: Record<string, string> | undefined = { sort: 'name', createdAfter: formatTime(2), limit: '2' };
    while (next) {
      const response = await bare.list(next);
      pages.push(bare.parseUsers(response).map(({ name }) => name));
      next = parseLinks(response).next?.query;
    }
    expect(pages).toEqual([['Ada Byron'], ['Cy Young']]);
  });

  test('a page with more matches than its limit links to the others', async () => {
    const first = await bare.list({ sort: 'name', createdAfter: formatTime(0), limit: '2' });
    expect(bare.parseUsers(first).map(({ name }) => name)).toEqual(['Ada Byron', 'Ada Lovelace']);
    const second = await bare.list(parseLinks(first).next?.query ?? {});
    expect(bare.parseUsers(second).map(({ name }) => name)).toEqual(['Bea King', 'Cy Young']);
    expect(parseLinks(second).next).toBeUndefined();
  });

  test('returns 400 for sort together with a search that finds too many users', async () => {
    Object.assign(sizes, { batchGet: 2, sorted: 2 });
    const response = await bare.list({ q: 'ada', sort: 'name' });
    const message = 'cannot sort by name: the other parameters find more than 2 users. Narrow them, or omit sort';
    expect(parseError(response).issues).toEqual([{ path: ['sort'], message }]);
    expect((await bare.list({ q: 'king', sort: 'name' })).status).toBe(200);
  });

  test('returns 400 for sort together with a search that reads too many users without a match', async () => {
    Object.assign(sizes, { sorted: 1, searchReads: 1 });
    const response = await bare.list({ q: 'ada zz', sort: 'name' });
    expect(parseError(response).issues).toMatchObject([{ path: ['sort'] }]);
    Object.assign(sizes, before);
    expect(bare.parseUsers(await bare.list({ q: 'ada zz', sort: 'name' }))).toEqual([]);
  });
});
