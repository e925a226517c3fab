import { describe, expect, test } from 'vitest';
import { bare, type Door, doors, enveloped, failureIn, type Headers, person } from './doors.ts';

const etagOf = async (door: Door, id: string) => String((await door.get(id)).headers.etag);

const writes = {
  PUT: (door: Door, id: string, headers: Headers) => door.replace(id, person(), headers),
  'PATCH of the name': (door: Door, id: string, headers: Headers) => door.update(id, { name: 'Changed' }, headers),
  'PATCH of the email': (door: Door, id: string, headers: Headers) =>
    door.update(id, { email: person().email }, headers),
  'PATCH of nothing': (door: Door, id: string, headers: Headers) => door.update(id, {}, headers),
  DELETE: (door: Door, id: string, headers: Headers) => door.remove(id, headers),
};

describe.each(doors)('$path', (door) => {
  test('every answer of one user has a strong ETag, and a write has that of the next read', async () => {
    const created = await door.create(person());
    const { id } = door.userIn(created);
    expect(created.headers.etag).toMatch(/^"[^"]+"$/);
    expect(created.headers.etag).toBe(await etagOf(door, id));
    const tags = new Set([created.headers.etag]);
    for (const reply of [await door.replace(id, person()), await door.update(id, { name: 'Ada' })]) {
      expect(tags).not.toContain(reply.headers.etag);
      tags.add(reply.headers.etag);
    }
    expect([...tags].at(-1)).toBe(await etagOf(door, id));
  });

  test('an update of nothing keeps the ETag', async () => {
    const { id } = await door.newUser();
    const etag = await etagOf(door, id);
    expect((await door.update(id, {})).headers.etag).toBe(etag);
    expect(await etagOf(door, id)).toBe(etag);
  });

  test('GET with a current If-None-Match is 304, with the ETag and no body', async () => {
    const { id } = await door.newUser();
    const etag = await etagOf(door, id);
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect(await door.get(id, { 'if-none-match': tags })).toMatchObject({ status: 304, text: '', headers: { etag } });
  });

  test('GET with another If-None-Match is 200', async () => {
    const { id } = await door.newUser();
    const etag = await etagOf(door, id);
    await door.update(id, { name: 'Newer' });
    for (const tags of [etag, '"other"', 'no tag', ''])
      expect((await door.get(id, { 'if-none-match': tags })).status).toBe(200);
  });

  describe.each(Object.entries(writes))('%s', (_, write) => {
    test.each([
      ['the current tag', (etag: string) => etag],
      ['*', () => '*'],
      ['a list with the current tag', (etag: string) => `"other", "99",${etag}`],
    ])('is done where If-Match is %s', async (_, tags) => {
      const { id } = await door.newUser();
      const reply = await write(door, id, { 'if-match': tags(await etagOf(door, id)) });
      expect(reply.status).toBeLessThan(300);
    });

    test.each([
      ['a stale tag', (etag: string) => etag],
      ['a tag never given', () => '"other"'],
      ['the current tag as a weak one', (_: string, current: string) => `W/${current}`],
      ['no tag at all', () => 'other'],
      ['empty', () => ''],
    ])('is 412 where If-Match is %s, and nothing changes', async (_, tags) => {
      const { id } = await door.newUser();
      const stale = await etagOf(door, id);
      await door.update(id, { name: 'Newer' });
      const [user, current] = [await door.read(id), await etagOf(door, id)];
      const reply = await write(door, id, { 'if-match': tags(stale, current) });
      expect(reply.status).toBe(412);
      expect(failureIn(reply)).toEqual({ error: 'The user has changed since the version you name' });
      expect([await door.read(id), await etagOf(door, id)]).toEqual([user, current]);
    });

    test('is 404 with any If-Match where there is no user', async () => {
      const { id } = await door.newUser();
      await door.remove(id);
      for (const tags of ['*', '"1"']) expect((await write(door, id, { 'if-match': tags })).status).toBe(404);
    });
  });

  test('If-Match of more tags than can be compared is 400', async () => {
    const { id } = await door.newUser();
    const tags = Array.from({ length: 101 }, (_, version) => `"${version + 1}"`).join(', ');
    expect((await door.update(id, { name: 'Ada' }, { 'if-match': tags })).status).toBe(400);
  });
});

test('a change at one shape makes the ETag of the other stale', async () => {
  const { id } = await enveloped.newUser();
  const etag = await etagOf(enveloped, id);
  await bare.update(id, { name: 'Elsewhere' });
  expect((await enveloped.update(id, { name: 'Stale' }, { 'if-match': etag })).status).toBe(412);
});
