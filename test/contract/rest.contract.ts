import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { tally } from '../setup/tally.ts';
import { newPerson } from '../setup/test-data.ts';
import { parseError, type Reply, type RestClient, restClients, send, sendUntilDone } from './client.ts';

const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';
const readEtag = async (client: RestClient, id: string) => (await client.get(id)).headers.etag ?? '';

describe.each(restClients)('$path', (client) => {
  test('creates, returns, replaces, updates and deletes a user', async () => {
    const input = newPerson();
    const created = await client.create(input);
    const { id } = client.parseUser(created);
    expect(created.status).toBe(201);
    expect(client.parseUser(created)).toEqual({ id, ...input });
    expect(created.headers.location).toBe(`${client.path}/${id}`);
    expect(await client.read(id)).toEqual({ id, ...input });

    const other = newPerson();
    const replaced = await client.replace(id, other);
    expect([replaced.status, client.parseUser(replaced)]).toEqual([200, { id, ...other }]);
    const updated = await client.update(id, { name: 'Updated' });
    expect([updated.status, client.parseUser(updated)]).toEqual([200, { id, ...other, name: 'Updated' }]);
    expect(client.parseUser(await client.update(id, {}))).toEqual({ id, ...other, name: 'Updated' });

    expect(await client.remove(id)).toMatchObject({ status: 204, text: '' });
    expect((await client.get(id)).status).toBe(404);
    expect((await client.remove(id)).status).toBe(404);
  });

  test('returns 400 with issues for invalid input, and changes nothing', async () => {
    const user = await client.newUser();
    const bodies = [
      {},
      { name: '' },
      { email: 'nobody' },
      { name: null },
      { shoeSize: 'x' },
      { id: UNKNOWN_ID },
      '{"name":',
      '[]',
      'null',
    ];
    for (const body of bodies.slice(1))
      expect([body, (await client.update(user.id, body)).status]).toEqual([body, 400]);
    for (const body of bodies) expect([body, (await client.replace(user.id, body)).status]).toEqual([body, 400]);
    for (const body of bodies) expect([body, (await client.create(body)).status]).toEqual([body, 400]);
    expect(parseError(await client.create({ name: '', email: 'nobody' })).issues).toMatchObject([
      { path: ['name'] },
      { path: ['email'] },
    ]);
    expect(await client.read(user.id)).toEqual(user);
  });

  test.each([UNKNOWN_ID, 'ada', '__proto__', 'USER#x', '🦊', 'a'.repeat(3000)])(
    'returns 404 for the unknown id %s',
    async (id) => {
      for (const reply of [
        await client.get(id),
        await client.replace(id, newPerson()),
        await client.update(id, { name: 'Ada' }),
        await client.remove(id),
      ]) {
        expect(reply.status).toBe(404);
        expect(parseError(reply).issues).toBeUndefined();
      }
    },
  );

  test('returns 404 for an id with a slash, from the service or, as a longer path, from the gateway', async () => {
    const reply = await client.get('a/b');
    expect(reply.status).toBe(404);
    expect([{ error: expect.any(String) }, { message: 'Not Found' }]).toContainEqual(reply.json);
  });

  test('returns 406 for Accept without JSON, and 415 for a Content-Type that is not JSON', async () => {
    const user = await client.newUser();
    const change = { name: 'Changed' };
    expect((await client.get(user.id, { accept: 'text/html' })).status).toBe(406);
    expect((await client.update(user.id, change, { accept: 'text/html', 'content-type': 'text/plain' })).status).toBe(
      406,
    );
    expect((await client.update(user.id, change, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(await client.read(user.id)).toEqual(user);
    const patch = { 'content-type': 'application/merge-patch+json' };
    expect((await client.update(user.id, change, patch)).status).toBe(200);
    expect((await client.replace(user.id, newPerson(), patch)).status).toBe(415);
    expect((await client.create(newPerson(), patch)).status).toBe(415);
    expect((await client.remove(user.id, { accept: 'text/html' })).status).toBe(204);
  });

  test('returns 409 for a taken email, in any case, until it is free again', async () => {
    const [user, other] = [await client.newUser(), await client.newUser()];
    const taken = { name: 'Taker', email: user.email.toUpperCase() };
    expect((await client.create(taken)).status).toBe(409);
    expect((await client.replace(other.id, taken)).status).toBe(409);
    expect((await client.update(other.id, taken)).status).toBe(409);
    await client.update(user.id, { email: newPerson().email });
    expect((await client.update(other.id, taken)).status).toBe(200);
  });

  test('returns 412 when If-Match is stale, and 304 when If-None-Match is current', async () => {
    const { id } = await client.newUser();
    const stale = await readEtag(client, id);
    expect(stale).toMatch(/^"[^"]+"$/);
    expect(await client.get(id, { 'if-none-match': stale })).toMatchObject({ status: 304, text: '' });
    const { headers } = await client.update(id, { name: 'Newer' }, { 'if-match': stale });
    expect([headers.etag, await readEtag(client, id)]).not.toContain(stale);
    expect((await client.get(id, { 'if-none-match': stale })).status).toBe(200);
    expect((await client.update(id, { name: 'Stale' }, { 'if-match': stale })).status).toBe(412);
    expect((await client.replace(id, newPerson(), { 'if-match': stale })).status).toBe(412);
    expect((await client.remove(id, { 'if-match': stale })).status).toBe(412);
    expect((await client.read(id)).name).toBe('Newer');
    expect((await client.remove(id, { 'if-match': headers.etag })).status).toBe(204);
  });

  test('returns the first response for a repeated Idempotency-Key', async () => {
    const [input, key] = [newPerson(), { 'idempotency-key': randomUUID() }];
    const first = await client.create(input, key);
    await client.update(client.parseUser(first).id, { name: 'Changed later' });
    const again = await client.create(input, key);
    const relevant = ({ status, text, headers: { location, etag } }: Reply) => ({ status, text, location, etag });
    expect(relevant(again)).toEqual(relevant(first));
    expect((await client.create({ ...input, name: 'Another' }, key)).status).toBe(422);
    expect((await client.create(newPerson(), { 'idempotency-key': 'k'.repeat(256) })).status).toBe(400);
  });

  test('lets exactly one of several racing writes succeed', async () => {
    const { email } = newPerson();
    const creates = Array.from({ length: 10 }, () =>
      client.create({ name: 'Racer', email }, { 'idempotency-key': randomUUID() }),
    );
    expect(tally(await Promise.all(creates))).toEqual({ 201: 1, 409: 9 });
    const { id } = await client.newUser();
    const headers = { 'if-match': await readEtag(client, id) };
    const updates = Array.from({ length: 10 }, (_, at) =>
      sendUntilDone(() => client.update(id, { name: `Racer ${at}` }, headers)),
    );
    const replies = await Promise.all(updates);
    // If the winner's answer is lost, its retry gets 412, so no reply has status 200.
    const winner = replies.findIndex(({ status }) => status === 200);
    expect(tally(replies)).toEqual(winner < 0 ? { 412: 10 } : { 200: 1, 412: 9 });
    expect(await client.read(id)).toMatchObject({
      name: winner < 0 ? expect.stringMatching(/^Racer \d$/) : `Racer ${winner}`,
    });
  });

  test('returns 412 to PUT, PATCH and DELETE when If-None-Match is * or current', async () => {
    const user = await client.newUser();
    for (const tag of ['*', await readEtag(client, user.id)]) {
      const headers = { 'if-none-match': tag };
      expect((await client.replace(user.id, newPerson(), headers)).status).toBe(412);
      expect((await client.update(user.id, { name: 'Newer' }, headers)).status).toBe(412);
      expect((await client.remove(user.id, headers)).status).toBe(412);
    }
    expect(await client.read(user.id)).toEqual(user);
  });

  test('returns the headers of GET to HEAD, without the body', async () => {
    const { id } = await client.newUser();
    for (const path of [client.path, `${client.path}/${id}`]) {
      const { status, headers } = await send('GET', path);
      const head = await send('HEAD', path);
      expect([head.status, head.text, head.headers.etag]).toEqual([status, '', headers.etag]);
    }
  });

  test('returns 405 with Allow for a method that the path does not support', async () => {
    const { id } = await client.newUser();
    for (const [method, path, allow] of [
      ['POST', `${client.path}/${id}`, 'GET, HEAD, PUT, PATCH, DELETE'],
      ['DELETE', client.path, 'GET, HEAD, POST, PUT'],
    ] as const)
      expect(await send(method, path)).toMatchObject({ status: 405, headers: { allow } });
  });

  test('leaves requests without a route to the gateway, which returns 404', async () => {
    const { id } = await client.newUser();
    expect(await send('GET', `${client.path}/${id}/posts`)).toMatchObject({
      status: 404,
      json: { message: 'Not Found' },
    });
  });
});
