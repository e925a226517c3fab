import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { tally } from '../setup/tally.ts';
import { type RestClient, doors, failureIn, person, type Reply, send } from './client.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
const etagOf = async (door: RestClient, id: string) => (await door.get(id)).headers.etag ?? '';

describe.each(doors)('$path', (door) => {
  test('creates, shows, replaces, updates and deletes a user', async () => {
    const input = person();
    const created = await door.create(input);
    const { id } = door.userIn(created);
    expect(created.status).toBe(201);
    expect(door.userIn(created)).toEqual({ id, ...input });
    expect(created.headers.location).toBe(`${door.path}/${id}`);
    expect(await door.read(id)).toEqual({ id, ...input });

    const other = person();
    const replaced = await door.replace(id, other);
    expect([replaced.status, door.userIn(replaced)]).toEqual([200, { id, ...other }]);
    const updated = await door.update(id, { name: 'Updated' });
    expect([updated.status, door.userIn(updated)]).toEqual([200, { id, ...other, name: 'Updated' }]);
    expect(door.userIn(await door.update(id, {}))).toEqual({ id, ...other, name: 'Updated' });

    expect(await door.remove(id)).toMatchObject({ status: 204, text: '' });
    expect((await door.get(id)).status).toBe(404);
    expect((await door.remove(id)).status).toBe(404);
  });

  test('refuses what is wrong with 400 and issues, and changes nothing', async () => {
    const user = await door.newUser();
    const bodies = [
      {},
      { name: '' },
      { email: 'nobody' },
      { name: null },
      { nickname: 'x' },
      { id: NOBODY },
      '{"name":',
      '[]',
      'null',
    ];
    for (const body of bodies.slice(1)) expect([body, (await door.update(user.id, body)).status]).toEqual([body, 400]);
    for (const body of bodies) expect([body, (await door.replace(user.id, body)).status]).toEqual([body, 400]);
    for (const body of bodies) expect([body, (await door.create(body)).status]).toEqual([body, 400]);
    expect(failureIn(await door.create({ name: '', email: 'nobody' })).issues).toMatchObject([
      { path: ['name'] },
      { path: ['email'] },
    ]);
    expect(await door.read(user.id)).toEqual(user);
  });

  test.each([NOBODY, 'ada', '__proto__', 'USER#x', '🦊', 'a'.repeat(3000)])(
    'answers 404 for the id %s, which names nobody',
    async (id) => {
      for (const reply of [
        await door.get(id),
        await door.replace(id, person()),
        await door.update(id, { name: 'Ada' }),
        await door.remove(id),
      ]) {
        expect(reply.status).toBe(404);
        expect(failureIn(reply).issues).toBeUndefined();
      }
    },
  );

  test('answers 404 for an id with a slash, in its own words or, where it takes it for a longer path, the gateway’s', async () => {
    const reply = await door.get('a/b');
    expect(reply.status).toBe(404);
    expect([{ error: expect.any(String) }, { message: 'Not Found' }]).toContainEqual(reply.json);
  });

  test('negotiates: 406 for Accept without JSON, 415 for another Content-Type', async () => {
    const user = await door.newUser();
    const change = { name: 'Changed' };
    expect((await door.get(user.id, { accept: 'text/html' })).status).toBe(406);
    expect((await door.update(user.id, change, { accept: 'text/html', 'content-type': 'text/plain' })).status).toBe(
      406,
    );
    expect((await door.update(user.id, change, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(await door.read(user.id)).toEqual(user);
    const patch = { 'content-type': 'application/merge-patch+json' };
    expect((await door.update(user.id, change, patch)).status).toBe(200);
    expect((await door.replace(user.id, person(), patch)).status).toBe(415);
    expect((await door.create(person(), patch)).status).toBe(415);
    expect((await door.remove(user.id, { accept: 'text/html' })).status).toBe(204);
  });

  test('gives an address to one user, in any case, until it is free again', async () => {
    const [user, other] = [await door.newUser(), await door.newUser()];
    const taken = { name: 'Taker', email: user.email.toUpperCase() };
    expect((await door.create(taken)).status).toBe(409);
    expect((await door.replace(other.id, taken)).status).toBe(409);
    expect((await door.update(other.id, taken)).status).toBe(409);
    await door.update(user.id, { email: person().email });
    expect((await door.update(other.id, taken)).status).toBe(200);
  });

  test('guards writes by If-Match, and reads by If-None-Match', async () => {
    const { id } = await door.newUser();
    const stale = await etagOf(door, id);
    expect(stale).toMatch(/^"[^"]+"$/);
    expect(await door.get(id, { 'if-none-match': stale })).toMatchObject({ status: 304, text: '' });
    const { headers } = await door.update(id, { name: 'Newer' }, { 'if-match': stale });
    expect([headers.etag, await etagOf(door, id)]).not.toContain(stale);
    expect((await door.get(id, { 'if-none-match': stale })).status).toBe(200);
    expect((await door.update(id, { name: 'Stale' }, { 'if-match': stale })).status).toBe(412);
    expect((await door.replace(id, person(), { 'if-match': stale })).status).toBe(412);
    expect((await door.remove(id, { 'if-match': stale })).status).toBe(412);
    expect((await door.read(id)).name).toBe('Newer');
    expect((await door.remove(id, { 'if-match': headers.etag })).status).toBe(204);
  });

  test('repeats the first answer under one Idempotency-Key', async () => {
    const [input, key] = [person(), { 'idempotency-key': randomUUID() }];
    const first = await door.create(input, key);
    await door.update(door.userIn(first).id, { name: 'Changed since' });
    const again = await door.create(input, key);
    const answer = ({ status, text, headers: { location, etag } }: Reply) => ({ status, text, location, etag });
    expect(answer(again)).toEqual(answer(first));
    expect((await door.create({ ...input, name: 'Another' }, key)).status).toBe(422);
    expect((await door.create(person(), { 'idempotency-key': 'k'.repeat(256) })).status).toBe(400);
  });

  test('lets one of those through who race', async () => {
    const { email } = person();
    const creates = Array.from({ length: 10 }, () => door.create({ name: 'Racer', email }));
    expect(tally(await Promise.all(creates))).toEqual({ 201: 1, 409: 9 });
    const { id } = await door.newUser();
    const headers = { 'if-match': await etagOf(door, id) };
    const updates = Array.from({ length: 10 }, (_, at) => door.update(id, { name: `Racer ${at}` }, headers));
    expect(tally(await Promise.all(updates))).toEqual({ 200: 1, 412: 9 });
  });

  test('leaves what no route takes to the gateway, which says so in its own words', async () => {
    const { id } = await door.newUser();
    for (const [method, path] of [
      ['POST', `${door.path}/${id}`],
      ['DELETE', door.path],
      ['GET', `${door.path}/${id}/posts`],
    ] as const)
      expect(await send(method, path)).toMatchObject({ status: 404, json: { message: 'Not Found' } });
  });
});
