import { describe, expect, test } from 'vitest';
import { doors, failureIn, person } from './doors.ts';

describe.each(doors)('$path', (door) => {
  test.each(['name', 'email'] as const)('POST and PUT refuse a body without %s', async (field) => {
    const { [field]: _, ...half } = person();
    const user = await door.newUser();
    for (const reply of [await door.create(half), await door.replace(user.id, half)]) {
      expect(reply.status).toBe(400);
      expect(failureIn(reply).issues).toMatchObject([{ path: [field] }]);
    }
    expect(await door.read(user.id)).toEqual(user);
  });

  test('POST refuses an id, and makes no user', async () => {
    const input = person();
    const reply = await door.create({ id: '01890000-0000-7000-8000-000000000000', ...input });
    expect(reply.status).toBe(400);
    expect(failureIn(reply).issues).toMatchObject([{ path: ['id'] }]);
    expect((await door.create(input)).status).toBe(201);
  });

  test('PUT and PATCH take the id of the path in the body', async () => {
    const { id } = await door.newUser();
    const input = { id, ...person() };
    expect(door.userIn(await door.replace(id, input))).toEqual(input);
    expect(door.userIn(await door.update(id, { id, name: 'Ada' }))).toEqual({ ...input, name: 'Ada' });
  });

  test('PUT and PATCH refuse any other id, and change nothing', async () => {
    const [user, other] = [await door.newUser(), await door.newUser()];
    for (const id of [other.id, '', null, 7]) {
      expect((await door.replace(user.id, { ...person(), id })).status).toBe(400);
      expect((await door.update(user.id, { id, name: 'Other' })).status).toBe(400);
    }
    expect([await door.read(user.id), await door.read(other.id)]).toEqual([user, other]);
  });
});
