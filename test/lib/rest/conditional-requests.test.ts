import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare, clients, enveloped, type Headers, parseError, type RestClient, UNKNOWN_ID } from './client.ts';

const getEtag = async (client: RestClient, id: string) => String((await client.get(id)).headers.etag);

type Write = (client: RestClient, id: string, headers: Headers) => ReturnType<RestClient['get']>;

/** Tests each write in one format, because conditions are the same in both. */
const writes: [string, RestClient, Write][] = [
  ['PUT', enveloped, (client, id, headers) => client.replace(id, newPerson(), headers)],
  ['PATCH of the name', bare, (client, id, headers) => client.update(id, { name: 'Changed' }, headers)],
  ['PATCH of the email', enveloped, (client, id, headers) => client.update(id, { email: newPerson().email }, headers)],
  ['DELETE', enveloped, (client, id, headers) => client.remove(id, headers)],
];

async function createUser(client: RestClient) {
  const response = await client.create(newPerson());
  return { id: client.parseUser(response).id, etag: String(response.headers.etag) };
}

describe.each(clients)('$path', (client) => {
  let id: string;
  let etag: string;
  beforeEach(async () => {
    ({ id, etag } = await createUser(client));
  });

  test('every response with a user has a strong ETag, and a write returns the ETag of the next GET', async () => {
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(await getEtag(client, id)).toBe(etag);
    const replaced = await client.replace(id, newPerson());
    const updated = await client.update(id, { name: 'Ada' });
    expect(new Set([etag, replaced.headers.etag, updated.headers.etag]).size).toBe(3);
    expect(await getEtag(client, id)).toBe(updated.headers.etag);
  });

  test('PATCH without fields keeps the ETag', async () => {
    expect((await client.update(id, {})).headers.etag).toBe(etag);
    expect(await getEtag(client, id)).toBe(etag);
  });

  test('caches must ask before they use a response', async () => {
    const responses = [
      await client.get(id),
      await client.get(id, { 'if-none-match': etag }),
      await client.get(UNKNOWN_ID),
      await client.list(),
    ];
    expect(responses.map(({ status, headers }) => [status, headers['cache-control']])).toEqual(
      [200, 304, 404, 200].map((status) => [status, 'private, no-cache']),
    );
  });

  test('GET returns 304 with the ETag and no body when If-None-Match is current', async () => {
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, `,, ${etag} ,`, '*'])
      expect(await client.get(id, { 'if-none-match': tags })).toEqual({
        status: 304,
        text: '',
        headers: { etag, 'cache-control': 'private, no-cache' },
        json: undefined,
      });
  });

  // RFC 9110 section 13.2.2.
  test('GET returns 412 with the current ETag when If-Match is stale, before it evaluates If-None-Match', async () => {
    await client.update(id, { name: 'Newer' });
    const current = await getEtag(client, id);
    for (const headers of [{}, { 'if-none-match': current }])
      for (const tags of [etag, '"other"', `W/${current}`]) {
        const response = await client.get(id, { 'if-match': tags, ...headers });
        expect([tags, response.status, response.headers.etag]).toEqual([tags, 412, current]);
      }
    for (const tags of [`"other", ${current}`, ' * '])
      expect((await client.get(id, { 'if-match': tags })).status).toBe(200);
    expect((await client.get(UNKNOWN_ID, { 'if-match': etag })).status).toBe(404);
  });

  test('GET returns 200 when If-None-Match is stale or malformed', async () => {
    await client.update(id, { name: 'Newer' });
    for (const tags of [etag, '"other"', 'no tag', ''])
      expect((await client.get(id, { 'if-none-match': tags })).status).toBe(200);
  });
});

describe.each(writes)('%s', (_, client, write) => {
  let id: string;
  let etag: string;
  beforeEach(async () => {
    ({ id, etag } = await createUser(client));
  });

  test('returns 412 and changes nothing when If-Match is stale, or If-None-Match is current', async () => {
    await client.update(id, { name: 'Newer' });
    const user = await client.read(id);
    const current = await getEtag(client, id);
    for (const [headers, error] of [
      [{ 'if-match': etag }, 'The user has changed since the given version; read it again'],
      [{ 'if-none-match': current }, 'The user has a version that the request excludes'],
    ] as const) {
      const response = await write(client, id, headers);
      expect([response.status, parseError(response)]).toEqual([412, { error }]);
    }
    expect(await client.read(id)).toEqual(user);
    expect(await getEtag(client, id)).toBe(current);
  });

  test('succeeds when If-Match is current and If-None-Match is not', async () => {
    expect((await write(client, id, { 'if-match': etag, 'if-none-match': '"9"' })).status).toBeLessThan(300);
  });

  test('returns 404 with any condition when the user does not exist', async () => {
    await client.remove(id);
    for (const name of ['if-match', 'if-none-match'])
      expect((await write(client, id, { [name]: '*' })).status).toBe(404);
  });
});

/** All writes parse these headers alike. */
describe('entity tags of a write', () => {
  let id: string;
  let etag: string;
  beforeEach(async () => {
    ({ id, etag } = await createUser(bare));
  });
  const readStatus = async (headers: Headers) => (await bare.update(id, { name: 'Changed' }, headers)).status;

  // RFC 9110 section 5.6.1 allows empty elements.
  test.each(['*', '"other", "99",etag', ', ,etag,'])('If-Match: %s holds', async (tags) => {
    expect(await readStatus({ 'if-match': tags.replace('etag', etag) })).toBe(200);
  });

  test.each(['"other"', 'W/etag'])('If-Match: %s does not hold', async (tags) => {
    expect(await readStatus({ 'if-match': tags.replace('etag', etag) })).toBe(412);
  });

  // Weak comparison: W/"1" matches "1" (RFC 9110 section 13.1.2).
  test.each(['*', ' * ', 'W/etag', '"other", ,etag'])('If-None-Match: %s does not hold', async (tags) => {
    expect(await readStatus({ 'if-none-match': tags.replace('etag', etag) })).toBe(412);
  });

  test.each(['"other"', '"7", W/"8"'])('If-None-Match: %s holds', async (tags) => {
    expect(await readStatus({ 'if-none-match': tags })).toBe(200);
  });

  test.each(['If-Match', 'If-None-Match'])('malformed ones in %s return 400 and change nothing', async (name) => {
    const malformed = [`${etag}x`, `"x"${etag}`, etag.slice(1, -1), `${etag} ${etag}`, `*, ${etag}`, 'w/"1"', ',', ''];
    for (const value of malformed) {
      const response = await bare.update(id, { name: 'Changed' }, { [name.toLowerCase()]: value });
      const message = 'must be * or entity tags in double quotes, such as "3"';
      expect([value, response.status]).toEqual([value, 400]);
      expect(parseError(response)).toEqual({ error: `${name}: ${message}`, issues: [{ path: [name], message }] });
    }
    expect(await getEtag(bare, id)).toBe(etag);
  });

  // RFC 9110 section 13.2.2.
  test('If-Match is evaluated before If-None-Match', async () => {
    const response = await bare.update(id, {}, { 'if-match': '"9"', 'if-none-match': '*' });
    expect(parseError(response).error).toBe('The user has changed since the given version; read it again');
  });
});

test.each(['If-Match', 'If-None-Match'])('PATCH returns 400 when %s lists more than 100 versions', async (header) => {
  const { id } = await bare.newUser();
  const toTags = (count: number) => Array.from({ length: count }, (_, index) => `"${index + 1}"`).join(', ');
  const update = (tags: string) => bare.update(id, {}, { [header.toLowerCase()]: tags });
  expect((await update(toTags(100))).status).toBe(header === 'If-Match' ? 200 : 412);
  const response = await update(toTags(101));
  expect(response.status).toBe(400);
  expect(parseError(response).error).toBe(`${header}: may list at most 100 entity tags`);
});

test('an invalid body is reported before a condition that does not hold', async () => {
  const { id } = await bare.newUser();
  expect((await bare.replace(id, { name: '' }, { 'if-none-match': '*' })).status).toBe(400);
});

test('a change in one response format makes the ETag stale in the other', async () => {
  const { id } = await enveloped.newUser();
  const etag = await getEtag(enveloped, id);
  await bare.update(id, { name: 'Elsewhere' });
  expect((await enveloped.update(id, { name: 'Stale' }, { 'if-match': etag })).status).toBe(412);
});

const IN_FUTURE = '9999-12-31T23:59:59.000Z';

describe('dates', () => {
  const client = bare;

  test('every response with a user has the time of its last write in Last-Modified', async () => {
    const created = await client.create(newPerson());
    const { id } = client.parseUser(created);
    const responses = [created, await client.get(id), await client.update(id, { name: 'Ada' }), await client.get(id)];
    for (const { headers } of responses) {
      expect(headers['last-modified']).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);
      expect(Math.abs(Date.now() - Date.parse(String(headers['last-modified'])))).toBeLessThan(300_000);
    }
  });

  test('Last-Modified is not in the future, also if an import stored a time in the future', async () => {
    const { id } = await createUser(client);
    const update = { UpdateExpression: 'SET updatedAt = :at', ExpressionAttributeValues: { ':at': IN_FUTURE } };
    await table.send(new UpdateCommand({ TableName, Key: userKey(id), ...update }));
    const { headers } = await client.get(id);
    expect(Date.parse(String(headers['last-modified']))).toBeLessThanOrEqual(Date.now());
    expect((await client.update(id, {}, { 'if-unmodified-since': String(headers['last-modified']) })).status).toBe(412);
  });

  test('If-Unmodified-Since applies to reads and writes, unless If-Match is present', async () => {
    const { id, etag } = await createUser(client);
    const { headers } = await client.get(id);
    const [before, since] = ['Thu, 01 Jan 2026 00:00:00 GMT', String(headers['last-modified'])];
    for (const send of [
      (headers: Headers) => client.get(id, headers),
      (headers: Headers) => client.update(id, {}, headers),
      (headers: Headers) => client.update(id, { name: 'Ada' }, headers),
      (headers: Headers) => client.remove(id, headers),
    ])
      expect((await send({ 'if-unmodified-since': before })).status).toBe(412);
    for (const sent of [
      { 'if-unmodified-since': since },
      { 'if-unmodified-since': before, 'if-match': etag },
      ...[
        'yesterday',
        'Sat, 30 Feb 2019 00:00:00 GMT',
        'Sat Feb 30 00:00:00 2019',
        'Tue, 01 Jan 2019 24:00:01 GMT',
      ].map((date) => ({ 'if-unmodified-since': date })),
    ])
      expect((await client.update(id, {}, sent)).status).toBe(200);
  });

  test.each([
    ['Thu, 01 Jan 2026 00:00:00 GMT', 'Mon, 01 Jan 2046 00:00:00 GMT'],
    ['Thursday, 01-Jan-26 00:00:00 GMT', 'Monday, 01-Jan-46 00:00:00 GMT'],
    ['Thu Jan  1 00:00:00 2026', 'Mon Jan  1 00:00:00 2046'],
  ])('If-Unmodified-Since: %s is 412, and %s is not', async (before, after) => {
    const { id } = await createUser(client);
    expect((await client.update(id, { name: 'Ada' }, { 'if-unmodified-since': before })).status).toBe(412);
    expect((await client.update(id, { name: 'Ada' }, { 'if-unmodified-since': after })).status).toBe(200);
  });

  test('a date without a time zone means GMT wherever the service runs', async () => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    const minute = (milliseconds: number) => Math.floor(milliseconds / 60_000) * 60_000;
    const toAsctime = (milliseconds: number) => {
      const [day = '', date = '', month = '', year = '', time = ''] = new Date(milliseconds).toUTCString().split(/,? /);
      return `${day} ${month} ${date} ${time} ${year}`;
    };
    const { id } = await createUser(client);
    const { headers } = await client.get(id);
    const now = minute(Date.parse(String(headers['last-modified'])));
    const update = (date: number) => client.update(id, { name: 'Ada' }, { 'if-unmodified-since': toAsctime(date) });
    expect((await update(now - 60_000)).status).toBe(412);
    expect((await update(now + 60_000)).status).toBe(200);
  });

  test('If-Modified-Since is ignored', async () => {
    const { id } = await createUser(client);
    const { headers } = await client.get(id);
    expect((await client.get(id, { 'if-modified-since': String(headers['last-modified']) })).status).toBe(200);
  });
});
