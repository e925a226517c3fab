import { describe, expect, test } from 'vitest';
import { type RestClient, clients, failureIn, type Headers, person } from './client.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
const HTML = 'text/html';

/** Every operation that answers a body, on a user that is there. */
const answered = {
  GET: (client: RestClient, id: string, headers: Headers) => client.get(id, headers),
  POST: (client: RestClient, _: string, headers: Headers) => client.create(person(), headers),
  PUT: (client: RestClient, id: string, headers: Headers) => client.replace(id, person(), headers),
  PATCH: (client: RestClient, id: string, headers: Headers) => client.update(id, { name: 'Changed' }, headers),
};
const { GET: _, ...written } = answered;

describe.each(clients)('$path', (client) => {
  describe.each(Object.entries(answered))('%s', (_, send) => {
    test.each([HTML, 'application/xml', 'text/csv, image/*', 'application/json;q=0', 'text/event-stream'])(
      'is 406 where Accept is %s, and nothing changes',
      async (accept) => {
        const user = await client.newUser();
        const reply = await send(client, user.id, { accept });
        expect(reply.status).toBe(406);
        expect(failureIn(reply)).toEqual({ error: 'This is served as application/json only' });
        expect(await client.read(user.id)).toEqual(user);
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
      const { id } = await client.newUser();
      expect((await send(client, id, { accept })).status).toBeLessThan(300);
    });
  });

  test('a list is 406 where Accept has no JSON', async () => {
    expect((await client.list({}, { accept: HTML })).status).toBe(406);
  });

  test('DELETE answers no body, and ignores Accept', async () => {
    const { id } = await client.newUser();
    expect((await client.remove(id, { accept: HTML })).status).toBe(204);
  });

  describe.each(Object.entries(written))('%s', (method, send) => {
    test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/jsonp', 'json', ';'])(
      'is 415 where Content-Type is %s, and nothing changes',
      async (type) => {
        const user = await client.newUser();
        const reply = await send(client, user.id, { 'content-type': type });
        expect(reply.status).toBe(415);
        expect(failureIn(reply)).toEqual({ error: 'The body has to be application/json' });
        expect(await client.read(user.id)).toEqual(user);
      },
    );

    test.each([undefined, 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"'])(
      'is taken where Content-Type is %s',
      async (type) => {
        const { id } = await client.newUser();
        expect((await send(client, id, { 'content-type': type })).status).toBeLessThan(300);
      },
    );

    test('takes application/merge-patch+json only where it is PATCH', async () => {
      const { id } = await client.newUser();
      const type = 'application/merge-patch+json; charset=utf-8';
      expect((await send(client, id, { 'content-type': type })).status).toBe(method === 'PATCH' ? 200 : 415);
    });
  });

  test('null in a merge patch is no way to remove a field', async () => {
    const { id } = await client.newUser();
    const reply = await client.update(id, { name: null }, { 'content-type': 'application/merge-patch+json' });
    expect(reply.status).toBe(400);
  });

  test('of the faults that meet, the first of 406, 415, 400, 404, 412 is answered', async () => {
    const { id } = await client.newUser();
    const faults = { accept: HTML, 'content-type': 'text/plain', 'if-match': '"0"' };
    const { accept: _, ...acceptable } = faults;
    const { 'content-type': __, ...typed } = acceptable;
    for (const write of [client.update, client.replace]) {
      expect((await write(NOBODY, '{', faults)).status).toBe(406);
      expect((await write(NOBODY, '{', acceptable)).status).toBe(415);
      expect((await write(NOBODY, '{', typed)).status).toBe(400);
      expect((await write(NOBODY, { name: '' }, typed)).status).toBe(400);
      expect((await write(NOBODY, person(), typed)).status).toBe(404);
      expect((await write(id, person(), typed)).status).toBe(412);
    }
  });

  test('names of headers are taken in any case', async () => {
    const reply = await client.create(person(), { accept: undefined, ACCEPT: HTML });
    expect(reply.status).toBe(406);
  });
});
