import { describe, expect, test } from 'vitest';
import { newPerson } from '../setup/test-data.ts';
import { clients, parseError } from './client.ts';

describe.each(clients)('$path', (client) => {
  test.each(['name', 'email'] as const)('POST and PUT refuse a body without %s', async (field) => {
    const { [field]: _, ...half } = newPerson();
    const user = await client.newUser();
    for (const reply of [await client.create(half), await client.replace(user.id, half)]) {
      expect(reply.status).toBe(400);
      expect(parseError(reply).issues).toMatchObject([{ path: [field] }]);
    }
    expect(await client.read(user.id)).toEqual(user);
  });

  test('POST refuses an id, and makes no user', async () => {
    const input = newPerson();
    const reply = await client.create({ id: '01890000-0000-7000-8000-000000000000', ...input });
    expect(reply.status).toBe(400);
    expect(parseError(reply).issues).toMatchObject([{ path: ['id'] }]);
    expect((await client.create(input)).status).toBe(201);
  });

  test('PUT and PATCH take the id of the path in the body', async () => {
    const { id } = await client.newUser();
    const input = { id, ...newPerson() };
    expect(client.parseUser(await client.replace(id, input))).toEqual(input);
    expect(client.parseUser(await client.update(id, { id, name: 'Ada' }))).toEqual({ ...input, name: 'Ada' });
  });

  test('PUT and PATCH refuse any other id, and change nothing', async () => {
    const [user, other] = [await client.newUser(), await client.newUser()];
    for (const id of [other.id, '', null, 7]) {
      expect((await client.replace(user.id, { ...newPerson(), id })).status).toBe(400);
      expect((await client.update(user.id, { id, name: 'Other' })).status).toBe(400);
    }
    expect([await client.read(user.id), await client.read(other.id)]).toEqual([user, other]);
  });
});
