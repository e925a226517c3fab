import { beforeEach, describe, expect, test } from 'vitest';
import type { UserRecord } from '../../setup/bodies.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare, clients, enveloped, type Headers, parseError, type RestClient, UNKNOWN_ID } from './client.ts';

type Send = (client: RestClient, id: string, headers: Headers) => ReturnType<RestClient['get']>;

const JSON_TYPE = 'application/json';
const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** Tests each method in one format, because negotiation is the same in both. */
const writes: { method: string; client: RestClient; types: string[]; send: Send }[] = [
  {
    method: 'POST',
    client: enveloped,
    types: [JSON_TYPE],
    send: (client, _, headers) => client.create(newPerson(), headers),
  },
  {
    method: 'PUT',
    client: bare,
    types: [JSON_TYPE],
    send: (client, id, headers) => client.replace(id, newPerson(), headers),
  },
  {
    method: 'PATCH',
    client: enveloped,
    types: [JSON_TYPE, MERGE_PATCH_TYPE],
    send: (client, id, headers) => client.update(id, { name: 'Changed' }, headers),
  },
];
const get: Send = (client, id, headers) => client.get(id, headers);

let user: UserRecord;
beforeEach(async () => {
  user = await bare.newUser();
});

describe.each([{ method: 'GET', client: bare, send: get }, ...writes])('$method', ({ client, send }) => {
  test('returns 406 and changes nothing when Accept does not allow JSON', async () => {
    for (const accept of ['text/html', 'text/csv, image/*', 'application/json;q=0', 'text/event-stream']) {
      const response = await send(client, user.id, { accept });
      expect([accept, response.status]).toEqual([accept, 406]);
      expect(parseError(response)).toEqual({ error: 'Accept must allow application/json' });
    }
    expect(await client.read(user.id)).toEqual(user);
  });

  test.each([
    undefined,
    '*/*',
    'application/*',
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json; odata.metadata=minimal',
    '',
    '*',
    'text/html, application/json;q=0.5',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  ])('succeeds when Accept is %s', async (accept) => {
    expect((await send(client, user.id, { accept })).status).toBeLessThan(300);
  });
});

describe.each(writes)('$method', ({ client, types, send }) => {
  test('returns 415 and changes nothing when Content-Type is not supported', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      ';',
    ]) {
      const response = await send(client, user.id, { 'content-type': type });
      expect([type, response.status]).toEqual([type, 415]);
      expect(parseError(response)).toEqual({ error: `Content-Type must be ${types.join(' or ')}` });
      // RFC 5789 section 2.2.
      expect(response.headers['accept-patch']).toBe(types.length > 1 ? types.join(', ') : undefined);
    }
    expect(await client.read(user.id)).toEqual(user);
  });

  // RFC 8259 section 8.1.
  test('returns 415 and changes nothing when the charset is another than UTF-8', async () => {
    for (const type of [
      'application/json; charset=iso-8859-1',
      'application/json;charset="UTF-16"',
      'application/json; CHARSET=windows-1252',
      ...(types.includes(MERGE_PATCH_TYPE) ? [`${MERGE_PATCH_TYPE}; charset=us-ascii`] : []),
    ]) {
      const response = await send(client, user.id, { 'content-type': type });
      expect([type, response.status]).toEqual([type, 415]);
      expect(parseError(response)).toEqual({ error: 'The charset of the body must be UTF-8' });
    }
    expect(await client.read(user.id)).toEqual(user);
  });

  // RFC 9110 section 15.5.16.
  test('returns 415 and changes nothing when the body is compressed', async () => {
    for (const coding of ['gzip', 'GZIP', 'identity, br', 'unknown']) {
      const response = await send(client, user.id, { 'content-encoding': coding });
      expect([response.status, response.headers['accept-encoding']]).toEqual([415, 'identity']);
      expect(parseError(response).error).toBe('The body must not be compressed; send it without Content-Encoding');
    }
    expect(await client.read(user.id)).toEqual(user);
  });

  test.each(['', 'identity', 'Identity'])('succeeds when Content-Encoding is %s', async (coding) => {
    expect((await send(client, user.id, { 'content-encoding': coding })).status).toBeLessThan(300);
  });

  test.each([
    undefined,
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8; version=1',
  ])('succeeds when Content-Type is %s', async (type) => {
    expect((await send(client, user.id, { 'content-type': type })).status).toBeLessThan(300);
  });

  test(`application/merge-patch+json is ${types.includes(MERGE_PATCH_TYPE) ? 'accepted' : '415'}`, async () => {
    const { status } = await send(client, user.id, { 'content-type': `${MERGE_PATCH_TYPE}; charset=utf-8` });
    expect(status).toBe(types.includes(MERGE_PATCH_TYPE) ? 200 : 415);
  });
});

describe.each(clients)('$path', (client) => {
  test('the list returns 406 when Accept does not allow JSON', async () => {
    expect((await client.list({}, { accept: 'text/html' })).status).toBe(406);
  });

  test('DELETE ignores Accept, because its response has no body', async () => {
    expect((await client.remove(user.id, { accept: 'text/html' })).status).toBe(204);
  });

  test('a merge patch returns 400 when a field is null, because no field can be removed', async () => {
    const response = await client.update(user.id, { name: null }, { 'content-type': 'application/merge-patch+json' });
    expect(response.status).toBe(400);
  });

  test('when several errors apply, the first of 406, 415, 400, 404, 412 is returned', async () => {
    const conditional = { 'if-match': '"0"' };
    const ofOtherType = { ...conditional, 'content-type': 'text/plain' };
    for (const write of [client.update, client.replace]) {
      expect((await write(UNKNOWN_ID, '{', { ...ofOtherType, accept: 'text/html' })).status).toBe(406);
      expect((await write(UNKNOWN_ID, '{', ofOtherType)).status).toBe(415);
      expect((await write(UNKNOWN_ID, '{', conditional)).status).toBe(400);
      expect((await write(UNKNOWN_ID, { name: '' }, conditional)).status).toBe(400);
      expect((await write(UNKNOWN_ID, newPerson(), conditional)).status).toBe(404);
      expect((await write(user.id, newPerson(), conditional)).status).toBe(412);
    }
  });

  test('header names are case-insensitive', async () => {
    const response = await client.create(newPerson(), { accept: undefined, ACCEPT: 'text/html' });
    expect(response.status).toBe(406);
  });
});
