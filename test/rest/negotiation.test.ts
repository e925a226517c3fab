import { describe, expect, test } from 'vitest';
import { type Door, doors, failureIn, type Headers, person } from './doors.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
const HTML = 'text/html';

/** Every operation that answers a body, on a user that is there. */
const answered = {
  GET: (door: Door, id: string, headers: Headers) => door.get(id, headers),
  POST: (door: Door, _: string, headers: Headers) => door.create(person(), headers),
  PUT: (door: Door, id: string, headers: Headers) => door.replace(id, person(), headers),
  PATCH: (door: Door, id: string, headers: Headers) => door.update(id, { name: 'Changed' }, headers),
};
const { GET: _, ...written } = answered;

describe.each(doors)('$path', (door) => {
  describe.each(Object.entries(answered))('%s', (_, send) => {
    test.each([HTML, 'application/xml', 'text/csv, image/*', 'application/json;q=0', 'text/event-stream'])(
      'is 406 where Accept is %s, and nothing changes',
      async (accept) => {
        const user = await door.newUser();
        const reply = await send(door, user.id, { accept });
        expect(reply.status).toBe(406);
        expect(failureIn(reply)).toEqual({ error: 'This is served as application/json only' });
        expect(await door.read(user.id)).toEqual(user);
      },
    );

    test.each([
      undefined,
      '*/*',
      'application/*',
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'text/html, application/json;q=0.5',
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    ])('is served where Accept is %s', async (accept) => {
      const { id } = await door.newUser();
      expect((await send(door, id, { accept })).status).toBeLessThan(300);
    });
  });

  test('a list is 406 where Accept has no JSON', async () => {
    expect((await door.list({}, { accept: HTML })).status).toBe(406);
  });

  test('DELETE answers no body, and ignores Accept', async () => {
    const { id } = await door.newUser();
    expect((await door.remove(id, { accept: HTML })).status).toBe(204);
  });

  describe.each(Object.entries(written))('%s', (method, send) => {
    test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/jsonp', 'json', ';'])(
      'is 415 where Content-Type is %s, and nothing changes',
      async (type) => {
        const user = await door.newUser();
        const reply = await send(door, user.id, { 'content-type': type });
        expect(reply.status).toBe(415);
        expect(failureIn(reply)).toEqual({ error: 'The body has to be application/json' });
        expect(await door.read(user.id)).toEqual(user);
      },
    );

    test.each([undefined, 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"'])(
      'is taken where Content-Type is %s',
      async (type) => {
        const { id } = await door.newUser();
        expect((await send(door, id, { 'content-type': type })).status).toBeLessThan(300);
      },
    );

    test('takes application/merge-patch+json only where it is PATCH', async () => {
      const { id } = await door.newUser();
      const type = 'application/merge-patch+json; charset=utf-8';
      expect((await send(door, id, { 'content-type': type })).status).toBe(method === 'PATCH' ? 200 : 415);
    });
  });

  test('null in a merge patch is no way to remove a field', async () => {
    const { id } = await door.newUser();
    const reply = await door.update(id, { name: null }, { 'content-type': 'application/merge-patch+json' });
    expect(reply.status).toBe(400);
  });

  test('of the faults that meet, the first of 406, 415, 400, 404, 412 is answered', async () => {
    const { id } = await door.newUser();
    const faults = { accept: HTML, 'content-type': 'text/plain', 'if-match': '"0"' };
    const { accept: _, ...acceptable } = faults;
    const { 'content-type': __, ...typed } = acceptable;
    for (const write of [door.update, door.replace]) {
      expect((await write(NOBODY, '{', faults)).status).toBe(406);
      expect((await write(NOBODY, '{', acceptable)).status).toBe(415);
      expect((await write(NOBODY, '{', typed)).status).toBe(400);
      expect((await write(NOBODY, { name: '' }, typed)).status).toBe(400);
      expect((await write(NOBODY, person(), typed)).status).toBe(404);
      expect((await write(id, person(), typed)).status).toBe(412);
    }
  });

  test('names of headers are taken in any case', async () => {
    const reply = await door.create(person(), { accept: undefined, ACCEPT: HTML });
    expect(reply.status).toBe(406);
  });
});
