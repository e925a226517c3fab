import { describe, expect, test, vi } from 'vitest';
import type { UserRecord } from '../setup/bodies.ts';
import { parseLinks } from '../setup/links.ts';
import { newPerson } from '../setup/test-data.ts';
import { bare, graphql, type RestClient, restClients, send } from './client.ts';

/**
 * Repeats checks for up to 2 minutes, because lists are eventually consistent and other tests write at the same time.
 */
const eventually = { timeout: 120_000, interval: 200 };

async function listAll(client: RestClient, query: Record<string, string>): Promise<UserRecord[]> {
  const users: UserRecord[] = [];
  let next: Record<string, string> | undefined = query;
  while (next) {
    const reply = await client.list(next);
    expect(reply.status).toBe(200);
    users.push(...client.parseUsers(reply));
    next = parseLinks(reply).next?.query;
  }
  return users;
}

describe.each(restClients)('the list at $path', (client) => {
  test('continues after a user with every later user exactly once, in creation order', async () => {
    const [{ id: after }, ...created] = [await client.newUser(), await client.newUser(), await client.newUser()];
    const listCreated = async () => {
      const users = await listAll(client, { after, ...(client === bare ? { limit: '1' } : {}) });
      return users.filter(({ id }) => created.some((user) => user.id === id));
    };
    await expect.poll(listCreated, eventually).toEqual(created);
  });

  test('starts with the newest user when order is desc', async () => {
    const [older, newer] = [await client.newUser(), await client.newUser()];
    const listNewest = async () => {
      const users = client.parseUsers(await client.list({ order: 'desc' }));
      return users.filter(({ id }) => id === older.id || id === newer.id);
    };
    await expect.poll(listNewest, eventually).toEqual([newer, older]);
    expect((await client.list({ order: 'newest' })).status).toBe(400);
  });

  test('finds a user by the beginning of a word of name or address, until the user is deleted', async () => {
    const unique = newPerson().email.slice('person.'.length, 'person.'.length + 13);
    const user = await client.newUser({ name: `Zoë ${unique}`, email: `${unique}@example.org` });
    const find = async (q: string) => client.parseUsers(await client.list({ q }));
    for (const q of [unique, `ZOE ${unique.slice(0, 9)}`, `${unique}@`])
      await expect.poll(() => find(q), eventually).toEqual([user]);
    await client.remove(user.id);
    await expect.poll(() => find(unique), eventually).toEqual([]);
    expect((await client.list({ q: 'a' })).status).toBe(400);
  });

  test('shows an updated user, and omits a deleted one', async () => {
    const [{ id: after }, user] = [await client.newUser(), await client.newUser()];
    const find = async () => (await listAll(client, { after })).find(({ id }) => id === user.id);
    await client.update(user.id, { name: 'Changed' });
    await expect.poll(find, eventually).toEqual({ ...user, name: 'Changed' });
    await client.remove(user.id);
    await expect.poll(find, eventually).toBeUndefined();
  });

  test('finds a user by the exact email address, case-insensitively', async () => {
    const user = await client.newUser();
    await expect
      .poll(async () => client.parseUsers(await client.list({ email: user.email.toUpperCase() })), eventually)
      .toEqual([user]);
    for (const email of [newPerson().email, 'no address', user.email.slice(1)])
      expect(client.parseUsers(await client.list({ email }))).toEqual([]);
  });

  test('returns 400 for a malformed after', async () => {
    expect((await client.list({ after: 'ada' })).status).toBe(400);
  });

  test('returns 400 for a repeated parameter, and accepts a value with a comma', async () => {
    expect((await send('GET', `${client.path}?q=ada&q=bob`)).status).toBe(400);
    for (const q of ['ada,bob', 'ada%2Cbob']) expect((await send('GET', `${client.path}?q=${q}`)).status).toBe(200);
  });
});

describe('pages at /v1/users', () => {
  test('are numbered from 1, hold limit users, and link to each other', async () => {
    await Promise.all(Array.from({ length: 5 }, () => bare.newUser()));
    const page = (page: number, limit: number) => bare.list({ page: String(page), limit: String(limit) });
    await vi.waitFor(async () => {
      const whole = bare.parseUsers(await page(1, 4));
      expect(whole).toHaveLength(4);
      expect([...bare.parseUsers(await page(1, 2)), ...bare.parseUsers(await page(2, 2))]).toEqual(whole);
      const links = parseLinks(await page(2, 2));
      expect(Object.keys(links)).toEqual(['first', 'prev', 'next', 'last']);
      expect(bare.parseUsers(await bare.list(links.prev?.query))).toEqual(whole.slice(0, 2));
    }, eventually);
  });

  test('end at the total, and are empty after that', async () => {
    await bare.newUser();
    await expect
      .poll(async () => {
        const { headers } = await bare.list({ limit: '2' });
        const total = Number(headers['x-total-count']);
        const last = Math.ceil(total / 2);
        const ends = [last, last + 1].map(async (page) =>
          bare.parseUsers(await bare.list({ page: `${page}`, limit: '2' })),
        );
        return { total, lengths: (await Promise.all(ends)).map(({ length }) => length) };
      }, eventually)
      .toSatisfy(({ total, lengths }) => total > 0 && lengths[0] === (total % 2 || 2) && lengths[1] === 0);
  });

  test.each(['0', '-1', '1.5', 'x', ''])('return 400 for page or limit %j', async (value) => {
    expect((await bare.list({ page: value })).status).toBe(400);
    expect((await bare.list({ limit: value })).status).toBe(400);
  });

  test('hold at most 1000 users', async () => {
    expect((await bare.list({ limit: '1001' })).status).toBe(400);
  });
});

test('the GraphQL connection pages through the same users', async () => {
  await Promise.all(Array.from({ length: 5 }, () => bare.newUser()));
  type Connection = { edges: { node: UserRecord }[]; pageInfo: { endCursor: string }; totalCount: number };
  const document = `query ($after: String) { users(first: 2, after: $after) {
    edges { node { id name email } } pageInfo { endCursor } totalCount } }`;
  const read = async (after?: string) => {
    const { data } = await graphql<{ users: Connection }>(document, { after });
    if (!data) throw new Error('No connection was returned');
    expect(data.users.totalCount).toBeGreaterThanOrEqual(5);
    return { nodes: data.users.edges.map(({ node }) => node), end: data.users.pageInfo.endCursor };
  };
  await vi.waitFor(async () => {
    const first = await read();
    const { nodes } = await read(first.end);
    expect([...first.nodes, ...nodes]).toEqual(bare.parseUsers(await bare.list({ limit: '4' })));
  }, eventually);
});
