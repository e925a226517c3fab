import { describe, expect, test } from 'vitest';
import { newPerson } from '../setup/test-data.ts';
import { bare, type RestClient, clients, enveloped, parseError, type Headers } from './client.ts';

const formatEtag = async (client: RestClient, id: string) => String((await client.get(id)).headers.etag);

const writes = {
  PUT: (client: RestClient, id: string, headers: Headers) => client.replace(id, newPerson(), headers),
  'PATCH of the name': (client: RestClient, id: string, headers: Headers) =>
    client.update(id, { name: 'Changed' }, headers),
  'PATCH of the email': (client: RestClient, id: string, headers: Headers) =>
    client.update(id, { email: newPerson().email }, headers),
  'PATCH of nothing': (client: RestClient, id: string, headers: Headers) => client.update(id, {}, headers),
  DELETE: (client: RestClient, id: string, headers: Headers) => client.remove(id, headers),
};

describe.each(clients)('$path', (client) => {
  test('every answer of one user has a strong ETag, and a write has that of the next read', async () => {
    const created = await client.create(newPerson());
    const { id } = client.parseUser(created);
    expect(created.headers.etag).toMatch(/^"[^"]+"$/);
    expect(created.headers.etag).toBe(await formatEtag(client, id));
    const tags = new Set([created.headers.etag]);
    for (const reply of [await client.replace(id, newPerson()), await client.update(id, { name: 'Ada' })]) {
      expect(tags).not.toContain(reply.headers.etag);
      tags.add(reply.headers.etag);
    }
    expect([...tags].at(-1)).toBe(await formatEtag(client, id));
  });

  test('an update of nothing keeps the ETag', async () => {
    const { id } = await client.newUser();
    const etag = await formatEtag(client, id);
    expect((await client.update(id, {})).headers.etag).toBe(etag);
    expect(await formatEtag(client, id)).toBe(etag);
  });

  test('GET with a current If-None-Match is 304, with the ETag and no body', async () => {
    const { id } = await client.newUser();
    const etag = await formatEtag(client, id);
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect(await client.get(id, { 'if-none-match': tags })).toMatchObject({
        status: 304,
        text: '',
        headers: { etag },
      });
  });

  test('GET with another If-None-Match is 200', async () => {
    const { id } = await client.newUser();
    const etag = await formatEtag(client, id);
    await client.update(id, { name: 'Newer' });
    for (const tags of [etag, '"other"', 'no tag', ''])
      expect((await client.get(id, { 'if-none-match': tags })).status).toBe(200);
  });

  describe.each(Object.entries(writes))('%s', (_, write) => {
    test.each([
      ['the current tag', (etag: string) => etag],
      ['*', () => '*'],
      ['a list with the current tag', (etag: string) => `"other", "99",${etag}`],
    ])('is done where If-Match is %s', async (_, tags) => {
      const { id } = await client.newUser();
      const reply = await write(client, id, { 'if-match': tags(await formatEtag(client, id)) });
      expect(reply.status).toBeLessThan(300);
    });

    test.each([
      ['a stale tag', (etag: string) => etag],
      ['a tag never given', () => '"other"'],
      ['the current tag as a weak one', (_: string, current: string) => `W/${current}`],
      ['no tag at all', () => 'other'],
      ['empty', () => ''],
    ])('is 412 where If-Match is %s, and nothing changes', async (_, tags) => {
      const { id } = await client.newUser();
      const stale = await formatEtag(client, id);
      await client.update(id, { name: 'Newer' });
      const [user, current] = [await client.read(id), await formatEtag(client, id)];
      const reply = await write(client, id, { 'if-match': tags(stale, current) });
      expect(reply.status).toBe(412);
      expect(parseError(reply)).toEqual({ error: 'The user has changed since the given version' });
      expect([await client.read(id), await formatEtag(client, id)]).toEqual([user, current]);
    });

    test('is 404 with any If-Match where there is no user', async () => {
      const { id } = await client.newUser();
      await client.remove(id);
      for (const tags of ['*', '"1"']) expect((await write(client, id, { 'if-match': tags })).status).toBe(404);
    });
  });

  test('If-Match of more tags than can be compared is 400', async () => {
    const { id } = await client.newUser();
    const tags = Array.from({ length: 101 }, (_, version) => `"${version + 1}"`).join(', ');
    expect((await client.update(id, { name: 'Ada' }, { 'if-match': tags })).status).toBe(400);
  });
});

test('a change at one shape makes the ETag of the other stale', async () => {
  const { id } = await enveloped.newUser();
  const etag = await formatEtag(enveloped, id);
  await bare.update(id, { name: 'Elsewhere' });
  expect((await enveloped.update(id, { name: 'Stale' }, { 'if-match': etag })).status).toBe(412);
});
