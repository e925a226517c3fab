import { beforeAll, expect, test } from 'vitest';
import type { UserRecord } from '../setup/bodies.ts';
import { parseLinks } from '../setup/links.ts';
import { newPerson } from '../setup/test-data.ts';
import { bare, enveloped } from './client.ts';

/** More than two lists of shape A, each of 1000 at most. */
const COUNT = 2003;
const users: UserRecord[] = [];

beforeAll(async () => {
  while (users.length < COUNT) {
    const round = Array.from({ length: Math.min(50, COUNT - users.length) }, () => enveloped.create(newPerson()));
    users.push(...(await Promise.all(round)).map(enveloped.parseUser));
  }
  users.sort((a, b) => (a.id < b.id ? -1 : 1));
}, 60_000);

test('/api/users cuts nothing off silently: its next links lead to every user exactly once', async () => {
  const lists: UserRecord[][] = [];
  let query: Record<string, string> | undefined = {};
  while (query) {
    const reply = await enveloped.list(query);
    lists.push(enveloped.parseUsers(reply));
    query = parseLinks(reply).next?.query;
  }
  expect(lists.map(({ length }) => length)).toEqual([1000, 1000, 3]);
  expect(lists.flat()).toEqual(users);
});

test('/v1/users has the right page of 1000 at any number, and the true total', async () => {
  for (const page of [1, 2, 3, 4]) {
    const reply = await bare.list({ page: String(page), limit: '1000' });
    expect(reply.headers['x-total-count']).toBe(String(COUNT));
    expect(bare.parseUsers(reply)).toEqual(users.slice((page - 1) * 1000, page * 1000));
  }
});
