import { beforeEach, describe, expect, test } from 'vitest';
import type { UserRecord } from '../../setup/bodies.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare, enveloped, type Headers, parseError, type RestClient, UNKNOWN_ID } from './client.ts';

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
    for (const accept of ['text/html', 'application/json;q=0']) {
      const response = await send(client, user.id, { accept });
      expect([accept, response.status]).toEqual([accept, 406]);
      expect(parseError(response)).toEqual({ error: 'Accept must allow application/json' });
    }
    expect(await client.read(user.id)).toEqual(user);
  });
});

// test/lib/negotiation.test.ts has further values.
test.each([
  undefined,
  '',
  '*',
  'application/*',
  'application/json; odata.metadata=minimal',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
])('GET succeeds when Accept is %s', async (accept) => {
  expect((await bare.get(user.id, { accept })).status).toBe(200);
});

describe.each(writes)('$method', ({ client, types, send }) => {
  test.each([
    ['Content-Type', 'text/plain', `Content-Type must be ${types.join(' or ')}`],
    // RFC 8259 section 8.1.
    ['Content-Type', 'application/json; charset=iso-8859-1', 'The charset of the body must be UTF-8'],
    ['Content-Encoding', 'gzip', 'The body must not be compressed; send it without Content-Encoding'],
  ])('returns 415 and changes nothing when %s is %s', async (name, value, error) => {
    const response = await send(client, user.id, { [name.toLowerCase()]: value });
    expect([response.status, parseError(response)]).toEqual([415, { error }]);
    // RFC 5789 section 2.2, and RFC 9110 section 15.5.16.
    expect(response.headers['accept-patch']).toBe(value === 'text/plain' && types[1] ? types.join(', ') : undefined);
    expect(response.headers['accept-encoding']).toBe(value === 'gzip' ? 'identity' : undefined);
    expect(await client.read(user.id)).toEqual(user);
  });

  test(`application/merge-patch+json is ${types.includes(MERGE_PATCH_TYPE) ? 'accepted' : '415'}`, async () => {
    const { status } = await send(client, user.id, { 'content-type': `${MERGE_PATCH_TYPE}; charset=utf-8` });
    expect(status).toBe(types.includes(MERGE_PATCH_TYPE) ? 200 : 415);
  });
});

/** All writes parse these headers alike. */
describe('headers of a body', () => {
  test.each([
    ['content-type', undefined, 200],
    ['content-type', 'Application/JSON', 200],
    ['content-type', 'application/json;charset="UTF-8"', 200],
    ['content-type', 'application/json; charset=utf8; version=1', 200],
    ['content-type', 'application/jsonp', 415],
    ['content-type', ';', 415],
    ['content-type', 'application/json;charset="UTF-16"', 415],
    ['content-type', 'application/json; CHARSET=windows-1252', 415],
    ['content-type', `${MERGE_PATCH_TYPE}; charset=us-ascii`, 415],
    ['content-encoding', '', 200],
    ['content-encoding', 'Identity', 200],
    ['content-encoding', 'identity, br', 415],
    ['content-encoding', 'unknown', 415],
  ])('%s: %s is %i', async (name, value, status) => {
    expect((await bare.update(user.id, { name: 'Changed' }, { [name]: value })).status).toBe(status);
  });

  test('a merge patch returns 400 when a field is null, because no field can be removed', async () => {
    const response = await bare.update(user.id, { name: null }, { 'content-type': MERGE_PATCH_TYPE });
    expect(response.status).toBe(400);
  });

  test.each(['update', 'replace'] as const)('%s returns the first of 406, 415, 400, 404 and 412', async (method) => {
    const write = bare[method];
    const conditional = { 'if-match': '"0"' };
    const ofOtherType = { ...conditional, 'content-type': 'text/plain' };
    expect((await write(UNKNOWN_ID, '{', { ...ofOtherType, accept: 'text/html' })).status).toBe(406);
    expect((await write(UNKNOWN_ID, '{', ofOtherType)).status).toBe(415);
    expect((await write(UNKNOWN_ID, '{', conditional)).status).toBe(400);
    expect((await write(UNKNOWN_ID, { name: '' }, conditional)).status).toBe(400);
    expect((await write(UNKNOWN_ID, newPerson(), conditional)).status).toBe(404);
    expect((await write(user.id, newPerson(), conditional)).status).toBe(412);
  });

  test('header names are case-insensitive', async () => {
    const response = await bare.create(newPerson(), { accept: undefined, ACCEPT: 'text/html' });
    expect(response.status).toBe(406);
  });
});
