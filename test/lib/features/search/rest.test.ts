import { beforeAll, describe, expect, test } from 'vitest';
import { encodeCursor } from '../../../../lib/input/cursor.ts';
import type { UserRecord } from '../../../setup/bodies.ts';
import { parseLinks } from '../../../setup/links.ts';
import { bare, clients, parseError } from '../../rest/client.ts';

const users: UserRecord[] = [];

beforeAll(async () => {
  for (const name of ['Zoë Ångström', 'Ada King', 'Ada Lovelace', 'Kim Adams', 'Poe, Edgar', '李 明']) {
    const user = await bare.newUser({ name });
    users.push(user);
  }
});

describe.each(clients)('$path?q=', (client) => {
  const find = async (q: string) => client.parseUsers(await client.list({ q })).map(({ name }) => name);

  test('lists users by the beginning of a word of the name, sorted by the matched text', async () => {
    expect(await find('ad')).toEqual(['Ada King', 'Ada Lovelace', 'Kim Adams']);
    expect(await find('ANG')).toEqual(['Zoë Ångström']);
    expect(await find('nobody')).toEqual([]);
  });

  test('treats a comma as part of the text unless the parameter is repeated', async () => {
    expect(await find('poe, e')).toEqual(['Poe, Edgar']);
    expect((await client.list({ q: ['poe', ' e'] })).status).toBe(400);
  });

  test('lists users by the beginning of the address', async () => {
    expect(await find(String(users[1]?.email.slice(0, 25)))).toEqual(['Ada King']);
  });

  test('returns no total, and no link except to the next page', async () => {
    const { headers } = await client.list({ q: 'ad' });
    expect(headers).not.toHaveProperty('x-total-count');
    expect(headers).not.toHaveProperty('link');
  });

  test('accepts one character if it is a word or syllable: Chinese, Japanese or Korean', async () => {
    for (const q of ['李', '明', ' 李']) expect([q, await find(q)]).toEqual([q, ['李 明']]);
    expect(await find('김')).toEqual([]);
  });

  test('ignores invisible characters in names and in the text', async () => {
    const { id } = await bare.newUser({ name: '\u2060Grä\u00adfin Tabea\u200b' });
    for (const q of ['gräfin', 'graefin', 'tabea gräfin', 'Gr\u200bäfin\ufeff', '\u{e0041}tabea'])
      expect(
        client.parseUsers(await client.list({ q })).map((user) => user.id),
        JSON.stringify(q),
      ).toEqual([id]);
    await bare.remove(id);
  });

  test.each(['', 'a', ' a ', 'é', 'ㄱ', '\u200b\u2060', 'a\u00ad'])('returns 400 for the text %j', async (q) => {
    const response = await client.list({ q });
    expect(response.status).toBe(400);
    expect(parseError(response).issues).toEqual([{ path: ['q'], message: 'must have at least 2 characters' }]);
  });

  test('returns 400 for a text above 256 characters', async () => {
    expect((await client.list({ q: 'x'.repeat(256) })).status).toBe(200);
    expect((await client.list({ q: 'x'.repeat(257) })).status).toBe(400);
  });

  test('combined with email, filters the user with the address', async () => {
    const [user] = client.parseUsers(await client.list({ q: 'ad' }));
    const { email, name } = user as UserRecord; // The search for ad finds users.
    expect(client.parseUsers(await client.list({ q: name, email }))).toEqual([user]);
    expect(client.parseUsers(await client.list({ q: 'nobody', email }))).toEqual([]);
  });

  test('returns 400 for a cursor of another search', async () => {
    // A cursor with a long text: its key would exceed DynamoDB's limit.
    const long = encodeCursor(`0ad${'a'.repeat(2_000)}\t${users[0]?.id}`);
    for (const after of ['', 'x', String(users[0]?.id), long]) {
      const response = await client.list({ q: 'ad', after });
      expect(parseError(response).issues).toEqual([
        { path: ['after'], message: 'must be from a link to the next page of this search' },
      ]);
    }
  });
});

test('/v1/users?q= links to the next page until all users are listed', async () => {
  const names: string[] = [];
  let query: Record<string, string> | undefined = { q: 'Ad', limit: '1' };
  while (query) {
    const response = await bare.list(query);
    expect(response.status).toBe(200);
    names.push(...bare.parseUsers(response).map(({ name }) => name));
    const { next, ...others } = parseLinks(response);
    expect(others).toEqual({});
    if (next) expect(next.query).toMatchObject({ q: 'Ad', limit: '1' });
    query = next?.query;
  }
  expect(names).toEqual(['Ada King', 'Ada Lovelace', 'Kim Adams']);
});

test('/v1/users returns 400 for page combined with q', async () => {
  for (const page of ['1', '2']) {
    const response = await bare.list({ q: 'ad', page });
    const message = 'cannot be combined with q; use after';
    expect(parseError(response).issues).toEqual([{ path: ['page'], message }]);
  }
});
