import { describe, expect, test } from 'vitest';
import { newPerson } from '../setup/test-data.ts';
import { clients, parseError } from './client.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';

describe.each(clients)('$path', (client) => {
  test('a created user is answered with 201 and its Location', async () => {
    const input = newPerson();
    const reply = await client.create(input);
    const user = client.parseUser(reply);
    expect(user).toEqual({ id: user.id, ...input });
    expect(reply).toMatchObject({ status: 201, headers: { location: `${client.path}/${user.id}` } });
  });

  test('a created user is read with 200, as it was answered', async () => {
    const user = await client.newUser();
    const reply = await client.get(user.id);
    expect(reply.status).toBe(200);
    expect(client.parseUser(reply)).toEqual(user);
  });

  test('ids ascend in the order of creation', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 20; count++) ids.push((await client.newUser()).id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(20);
  });

  test('a replacement is answered with 200 and kept', async () => {
    const { id } = await client.newUser();
    const input = newPerson();
    const reply = await client.replace(id, input);
    expect(reply.status).toBe(200);
    expect(client.parseUser(reply)).toEqual({ id, ...input });
    expect(await client.read(id)).toEqual({ id, ...input });
  });

  test.each(['name', 'email'] as const)('an update of the %s leaves the rest', async (field) => {
    const user = await client.newUser();
    const changed = { ...user, [field]: newPerson()[field] };
    const reply = await client.update(user.id, { [field]: changed[field] });
    expect(reply.status).toBe(200);
    expect(client.parseUser(reply)).toEqual(changed);
    expect(await client.read(user.id)).toEqual(changed);
  });

  test('an update of nothing is answered with 200 and changes nothing', async () => {
    const user = await client.newUser();
    const reply = await client.update(user.id, {});
    expect(reply.status).toBe(200);
    expect(client.parseUser(reply)).toEqual(user);
  });

  test('a deletion is answered with 204 and an empty body, and the user is gone', async () => {
    const { id } = await client.newUser();
    expect(await client.remove(id)).toMatchObject({ status: 204, text: '' });
    expect((await client.get(id)).status).toBe(404);
    expect((await client.remove(id)).status).toBe(404);
  });

  test('every body is application/json', async () => {
    const { id } = await client.newUser();
    const replies = [
      await client.list(),
      await client.get(id),
      await client.create(newPerson()),
      await client.replace(id, newPerson()),
      await client.update(id, { name: 'Ada' }),
      await client.get(NOBODY),
      await client.create({}),
    ];
    for (const { headers } of replies) expect(headers['content-type']).toMatch(/^application\/json\b/);
  });

  test('what is done at the other shape is seen here', async () => {
    const [other] = clients.filter((each) => each !== client);
    if (!other) throw new Error('There are two shapes');
    const user = await other.newUser();
    expect(await client.read(user.id)).toEqual(user);
    await other.update(user.id, { name: 'Elsewhere' });
    expect(await client.read(user.id)).toEqual({ ...user, name: 'Elsewhere' });
    await other.remove(user.id);
    expect((await client.get(user.id)).status).toBe(404);
  });

  test('a body in base64 is read as the text it is', async () => {
    const input = { ...newPerson(), name: 'Zoë 李雷 🦊' };
    const body = Buffer.from(JSON.stringify(input)).toString('base64');
    const reply = await client.send('create-user', { body, isBase64Encoded: true });
    expect(client.parseUser(reply)).toMatchObject(input);
  });

  describe.each([
    ['no user has', NOBODY],
    ['is empty', ''],
    ['is a word', 'ada'],
    ['is a number', '-1'],
    ['names a member of every object', '__proto__'],
    ['is the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['is a UUIDv4', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
    ['holds a slash', '../users'],
    ['looks like a key of the table', 'USER#x'],
    ['is beyond the length of a key', 'a'.repeat(3000)],
    ['is an emoji', '🦊'],
    ['holds a NUL', '\u0000'],
  ])('an id that %s', (_, id) => {
    test('is 404 on get, replace, update and delete', async () => {
      const replies = [
        await client.get(id),
        await client.replace(id, newPerson()),
        await client.update(id, { name: 'Ada' }),
        await client.update(id, { email: newPerson().email }),
        await client.update(id, {}),
        await client.remove(id),
      ];
      for (const reply of replies) {
        expect(reply.status).toBe(404);
        expect(parseError(reply)).toEqual({ error: 'User not found' });
      }
    });
  });

  test('a replacement of nobody makes no user and takes no address', async () => {
    const input = newPerson();
    await client.replace(NOBODY, input);
    expect((await client.get(NOBODY)).status).toBe(404);
    expect((await client.create(input)).status).toBe(201);
  });
});
