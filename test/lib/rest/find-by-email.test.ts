import { describe, expect, test } from 'vitest';
import { parseLinks } from '../../setup/links.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare, clients } from './client.ts';

describe.each(clients)('$path?email=', (client) => {
  const find = async (email: string) => client.parseUsers(await client.list({ email }));

  test('finds the user with the address, regardless of case, spaces and normalization', async () => {
    await client.newUser();
    const user = await client.newUser({ email: `Zoë.${newPerson().email}` });
    for (const email of [user.email, user.email.toUpperCase(), ` ${user.email} `, user.email.normalize('NFD')])
      expect(await find(email)).toEqual([user]);
  });

  test('finds the user when the plus in the address was not encoded', async () => {
    const user = await client.newUser({ email: `ada+${newPerson().email}` });
    expect(await find(user.email.replace('+', ' '))).toEqual([user]);
  });

  test('finds no user when the address is unknown, invalid or too long', async () => {
    const { email } = await client.newUser();
    for (const other of ['nobody@example.org', email.slice(1), email.slice(0, -1), 'x', '', '@', '%', 'x'.repeat(300)])
      expect([other, await find(other)]).toEqual([other, []]);
  });

  test('finds the user only by the current address, and not after the deletion', async () => {
    const user = await client.newUser();
    const { email } = newPerson();
    await client.update(user.id, { email });
    expect(await find(user.email)).toEqual([]);
    expect(await find(email)).toEqual([{ ...user, email }]);
    await client.remove(user.id);
    expect(await find(email)).toEqual([]);
  });
});

describe('pages of /v1/users?email=', () => {
  test('X-Total-Count is the number of users found, and links keep the address', async () => {
    const { email } = await bare.newUser();
    const response = await bare.list({ email, limit: '5' });
    expect(response.headers['x-total-count']).toBe('1');
    expect(parseLinks(response).last).toEqual({ path: '/v1/users', query: { email, limit: '5', page: '1' } });
    expect((await bare.list({ email: 'nobody@example.org' })).headers['x-total-count']).toBe('0');
  });

  test('links do not repeat an address above 254 octets', async () => {
    const { headers } = await bare.list({ email: `${'x'.repeat(300)}@example.org` });
    expect(headers.link).toBe(
      '</v1/users?page=1&limit=100&email=>; rel="first", </v1/users?page=1&limit=100&email=>; rel="last"',
    );
  });
});
