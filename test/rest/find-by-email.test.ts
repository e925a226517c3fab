import { describe, expect, test } from 'vitest';
import { parseLinks } from '../setup/links.ts';
import { newPerson } from '../setup/test-data.ts';
import { bare, clients } from './client.ts';

describe.each(clients)('$path?email=', (client) => {
  const find = async (email: string) => client.parseUsers(await client.list({ email }));

  test('finds the user who has the address, in any spelling of it', async () => {
    await client.newUser();
    const user = await client.newUser({ email: `Zoë.${newPerson().email}` });
    for (const email of [user.email, user.email.toUpperCase(), ` ${user.email} `, user.email.normalize('NFD')])
      expect(await find(email)).toEqual([user]);
  });

  test.each(['nobody@example.org', 'no address', '', '@', '%', 'x'.repeat(300)])(
    'finds nobody for %j',
    async (email) => {
      await client.newUser();
      const reply = await client.list({ email });
      expect(reply.status).toBe(200);
      expect(client.parseUsers(reply)).toEqual([]);
    },
  );

  test('finds nobody by a part of an address', async () => {
    const { email } = await client.newUser();
    expect(await find(email.slice(1))).toEqual([]);
    expect(await find(email.slice(0, -1))).toEqual([]);
  });

  test('finds who has the address now, and nobody once it is free', async () => {
    const user = await client.newUser();
    const { email } = newPerson();
    await client.update(user.id, { email });
    expect(await find(user.email)).toEqual([]);
    expect(await find(email)).toEqual([{ ...user, email }]);
    await client.remove(user.id);
    expect(await find(email)).toEqual([]);
  });

  test('has no next', async () => {
    const { email } = await client.newUser();
    expect(parseLinks(await client.list({ email }))).not.toHaveProperty('next');
  });
});

describe('paging of what was found at /v1/users', () => {
  test('counts what was found, and links keep the address', async () => {
    const { email } = await bare.newUser();
    const reply = await bare.list({ email, limit: '5' });
    expect(reply.headers['x-total-count']).toBe('1');
    expect(parseLinks(reply).last).toEqual({ path: '/v1/users', query: { email, limit: '5', page: '1' } });
    expect((await bare.list({ email: 'nobody@example.org' })).headers['x-total-count']).toBe('0');
  });

  test('has one page', async () => {
    const { email } = await bare.newUser();
    const reply = await bare.list({ email, page: '2' });
    expect(reply).toMatchObject({ status: 200, json: [], headers: { 'x-total-count': '1' } });
  });

  test('is 400 for a wrong page all the same', async () => {
    expect((await bare.list({ email: 'nobody@example.org', page: '0' })).status).toBe(400);
  });
});
