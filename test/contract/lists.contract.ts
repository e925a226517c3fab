import { describe, expect, test, vi } from 'vitest';
import type { UserRecord } from '../setup/bodies.ts';
import { parseLinks } from '../setup/links.ts';
import { bare, type RestClient, doors, graphql, person } from './client.ts';

/** Lists may lag behind writes, as DynamoDB's indexes do, and others write too: asked for until it is so. */
const soon = { timeout: 10_000, interval: 200 };

/** Every user that the next links lead to, from a place on. */
async function walk(door: RestClient, from: Record<string, string>): Promise<UserRecord[]> {
  const users: UserRecord[] = [];
  let query: Record<string, string> | undefined = from;
  while (query) {
    const reply = await door.list(query);
    expect(reply.status).toBe(200);
    users.push(...door.usersIn(reply));
    query = parseLinks(reply).next?.query;
  }
  return users;
}

describe.each(doors)('the list at $path', (door) => {
  test('goes on behind a user to everyone made since, exactly once, in the order of creation', async () => {
    const [{ id: after }, ...made] = [await door.newUser(), await door.newUser(), await door.newUser()];
    const mine = async () => {
      const users = await walk(door, { after, ...(door === bare ? { limit: '1' } : {}) });
      return users.filter(({ id }) => made.some((user) => user.id === id));
    };
    await expect.poll(mine, soon).toEqual(made);
  });

  test('shows a change, and no longer who is deleted', async () => {
    const [{ id: after }, user] = [await door.newUser(), await door.newUser()];
    const here = async () => (await walk(door, { after })).find(({ id }) => id === user.id);
    await door.update(user.id, { name: 'Changed' });
    await expect.poll(here, soon).toEqual({ ...user, name: 'Changed' });
    await door.remove(user.id);
    await expect.poll(here, soon).toBeUndefined();
  });

  test('finds a user by the exact address, in any case', async () => {
    const user = await door.newUser();
    await expect
      .poll(async () => door.usersIn(await door.list({ email: user.email.toUpperCase() })), soon)
      .toEqual([user]);
    for (const email of [person().email, 'no address', user.email.slice(1)])
      expect(door.usersIn(await door.list({ email }))).toEqual([]);
  });

  test('answers 400 for a malformed place to go on from', async () => {
    expect((await door.list({ after: 'ada' })).status).toBe(400);
  });
});

describe('pages at /v1/users', () => {
  test('are numbered from 1, cut the list by limit, and link to each other', async () => {
    await Promise.all(Array.from({ length: 5 }, () => bare.newUser()));
    const page = (page: number, limit: number) => bare.list({ page: String(page), limit: String(limit) });
    await vi.waitFor(async () => {
      const whole = bare.usersIn(await page(1, 4));
      expect(whole).toHaveLength(4);
      expect([...bare.usersIn(await page(1, 2)), ...bare.usersIn(await page(2, 2))]).toEqual(whole);
      const links = parseLinks(await page(2, 2));
      expect(Object.keys(links)).toEqual(['first', 'prev', 'next', 'last']);
      expect(bare.usersIn(await bare.list(links.prev?.query))).toEqual(whole.slice(0, 2));
    }, soon);
  });

  test('end where the total says, and are empty behind that', async () => {
    await bare.newUser();
    await expect
      .poll(async () => {
        const { headers } = await bare.list({ limit: '2' });
        const total = Number(headers['x-total-count']);
        const last = Math.ceil(total / 2);
        const ends = [last, last + 1].map(async (page) =>
          bare.usersIn(await bare.list({ page: `${page}`, limit: '2' })),
        );
        return { total, lengths: (await Promise.all(ends)).map(({ length }) => length) };
      }, soon)
      .toSatisfy(({ total, lengths }) => total > 0 && lengths[0] === (total % 2 || 2) && lengths[1] === 0);
  });

  test.each(['0', '-1', '1.5', 'x', ''])('are refused by the number %j', async (value) => {
    expect((await bare.list({ page: value })).status).toBe(400);
    expect((await bare.list({ limit: value })).status).toBe(400);
  });

  test('hold at most 1000', async () => {
    expect((await bare.list({ limit: '1001' })).status).toBe(400);
  });
});

test('the connection in GraphQL pages through the same users', async () => {
  await Promise.all(Array.from({ length: 5 }, () => bare.newUser()));
  type Connection = { edges: { node: UserRecord }[]; pageInfo: { endCursor: string }; totalCount: number };
  const document = `query ($after: String) { users(first: 2, after: $after) {
    edges { node { id name email } } pageInfo { endCursor } totalCount } }`;
  const read = async (after?: string) => {
    const { data } = await graphql<{ users: Connection }>(document, { after });
    if (!data) throw new Error('No connection was answered');
    expect(data.users.totalCount).toBeGreaterThanOrEqual(5);
    return { nodes: data.users.edges.map(({ node }) => node), end: data.users.pageInfo.endCursor };
  };
  await vi.waitFor(async () => {
    const first = await read();
    const { nodes } = await read(first.end);
    expect([...first.nodes, ...nodes]).toEqual(bare.usersIn(await bare.list({ limit: '4' })));
  }, soon);
});
