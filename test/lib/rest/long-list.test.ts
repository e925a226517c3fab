import { beforeAll, expect, test } from 'vitest';
import { loadUsers } from '../../../infra/bench/load.ts';
import type { UserRecord } from '../../setup/bodies.ts';
import { parseLinks } from '../../setup/links.ts';
import { bare, enveloped } from './client.ts';

/** Number of users: more than a full page of 1000. */
const COUNT = 1003;

const names = Array.from({ length: COUNT }, (_, number) => `Ada Lovelace ${number}`);
const toNames = (users: UserRecord[]) => users.map(({ name }) => name);

beforeAll(() => loadUsers(0, COUNT, Date.parse('2026-01-01')));

test.each(['asc', 'desc'])('/api/users?order=%s links to every user exactly once, 1000 at a time', async (order) => {
  const lists: UserRecord[][] = [];
  let query: Record<string, string> | undefined = { order };
  while (query) {
    const response = await enveloped.list(query);
    lists.push(enveloped.parseUsers(response));
    query = parseLinks(response).next?.query;
  }
  expect(lists.map(({ length }) => length)).toEqual([1000, 3]);
  expect(toNames(lists.flat())).toEqual(order === 'asc' ? names : names.toReversed());
});

test('/v1/users has the right 1000 users on each page, and the total number of users', async () => {
  for (const page of [1, 2]) {
    const response = await bare.list({ page: String(page), limit: '1000' });
    expect(response.headers['x-total-count']).toBe(String(COUNT));
    expect(toNames(bare.parseUsers(response))).toEqual(names.slice((page - 1) * 1000, page * 1000));
  }
});
