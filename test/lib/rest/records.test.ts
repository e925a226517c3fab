import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { newPerson } from '../../setup/test-data.ts';
import { clients, parseError, type Response, UNKNOWN_ID } from './client.ts';

const UTC = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Returns the content of either response format. */
const unwrap = ({ json }: Response) => z.object({ data: z.unknown() }).safeParse(json).data?.data ?? json;

describe.each(clients)('$path', (client) => {
  test('include=times adds times and version in lists, single reads and writes', async () => {
    const query = { include: 'times' };
    const person = newPerson();
    const created = z
      .looseObject({ id: z.string(), createdAt: z.string() })
      .parse(unwrap(await client.send('create-user', { body: person, query })));
    const { id } = created;
    const times = { createdAt: expect.stringMatching(UTC), updatedAt: created.createdAt, version: 1 };
    expect(created).toEqual({ id, ...person, ...times });
    expect(unwrap(await client.send('get-user', { id, query }))).toEqual(created);
    const list = await client.list({ ...query, id: [id, (await client.newUser()).id] });
    expect(unwrap(list)).toMatchObject([created, { version: 1 }]);
    const renamed = unwrap(await client.send('update-user', { id, body: { name: 'Ada' }, query }));
    expect(renamed).toMatchObject({ ...created, name: 'Ada', updatedAt: expect.stringMatching(UTC), version: 2 });
    expect(unwrap(await client.send('replace-user', { id, body: person, query }))).toMatchObject({ version: 3 });
    expect(parseError(await client.send('get-user', { id, query: { include: 'posts' } }))).toEqual({
      error: 'include: must be times',
      issues: [{ path: ['include'], message: 'must be times' }],
    });
  });

  // RFC 9562 section 4.
  test('accepts an id in upper case in the path and in the body', async () => {
    const { id } = await client.newUser();
    const upper = id.toUpperCase();
    const person = newPerson();
    expect(client.parseUser(await client.get(upper)).id).toBe(id);
    expect(client.parseUser(await client.replace(upper, { id, ...person }))).toEqual({ id, ...person });
    expect(client.parseUser(await client.update(id, { id: upper, name: 'Ada' }))).toEqual({
      ...person,
      id,
      name: 'Ada',
    });
    expect((await client.update(upper, { id: UNKNOWN_ID })).status).toBe(400);
    expect((await client.list({ after: upper })).status).toBe(200);
    expect((await client.remove(upper)).status).toBe(204);
    expect((await client.get(id)).status).toBe(404);
  });

  test('ids ascend in the order of creation', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push((await client.newUser()).id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(5);
  });

  test('every body is application/json with nosniff', async () => {
    const { id } = await client.newUser();
    const responses = [
      await client.list(),
      await client.get(id),
      await client.create(newPerson()),
      await client.replace(id, newPerson()),
      await client.update(id, { name: 'Ada' }),
      await client.get(UNKNOWN_ID),
      await client.create({}),
    ];
    for (const { headers } of responses)
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
  });

  test.each([
    ['no user has', UNKNOWN_ID],
    ['is empty', ''],
    ['is the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['is a UUIDv4', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
    ['contains a slash', '../users'],
    ['is longer than a key may be', 'a'.repeat(3000)],
    ['contains a NUL', '\u0000'],
  ])('an id that %s returns 404 on GET, PUT, PATCH and DELETE', async (_, id) => {
    for (const response of [
      await client.get(id),
      await client.replace(id, newPerson()),
      await client.update(id, { name: 'Ada' }),
      await client.update(id, { email: newPerson().email }),
      await client.update(id, {}),
      await client.remove(id),
    ]) {
      expect(response.status).toBe(404);
      expect(parseError(response)).toEqual({ error: 'User not found' });
    }
  });

  test('PUT of an unknown id creates no user and claims no address', async () => {
    const person = newPerson();
    await client.replace(UNKNOWN_ID, person);
    expect((await client.get(UNKNOWN_ID)).status).toBe(404);
    expect((await client.create(person)).status).toBe(201);
  });
});
