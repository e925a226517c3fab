import { expect, test } from 'vitest';
import { readQuery } from '../../../lib/rest/requests.ts';
import { MAX_LINEAR_GROWTH, measureGrowth } from '../../setup/cpu-growth.ts';
import { createRestEvent } from '../../setup/event.ts';
import { bare, clients, enveloped, parseError, UNKNOWN_ID } from './client.ts';

test.each([
  ['order', ['', 'DESC', 'newest', 'name'], 'must be asc or desc'],
  ['after', ['', 'x', '-1', 'USER#1'], 'must be the id of a user'],
  ['include', ['', 'Times', 'times,times'], 'must be times'],
])('both formats return 400 for an unusable %s', async (parameter, values, message) => {
  for (const [client, value] of clients.flatMap((client) => values.map((value) => [client, value] as const))) {
    const response = await client.list({ [parameter]: value });
    expect([client.path, value, response.status]).toEqual([client.path, value, 400]);
    expect(parseError(response).issues).toEqual([{ path: [parameter], message }]);
  }
});

test.each([
  [
    enveloped,
    ['name', 'page', 'limit', '__proto__'],
    'after, order, include, id, email, q, createdAfter, createdBefore, changedSince, sort',
  ],
  [
    bare,
    ['name', 'offset', 'Page', '__proto__'],
    'page, limit, after, order, include, id, email, q, createdAfter, createdBefore, changedSince, sort',
  ],
])('$path returns 400 for an unknown query parameter, and names the known ones', async (client, names, known) => {
  for (const name of names) {
    const message = `is not a parameter of this list; its parameters are ${known}`;
    const response = await client.list(JSON.parse(`{ "${name}": "1" }`));
    expect(response.status).toBe(400);
    expect(parseError(response)).toEqual({ error: `${name}: ${message}`, issues: [{ path: [name], message }] });
  }
});

test('/v1/users names 10 of many unknown query parameters, in at most 5 kB', async () => {
  const names = Array.from({ length: 500 }, (_, at) => [`${'ä"'.repeat(50)}${at}`, '']);
  const response = await bare.list(Object.fromEntries(names));
  expect(response.status).toBe(400);
  expect(parseError(response).issues).toHaveLength(11);
  expect(Buffer.byteLength(response.text)).toBeLessThanOrEqual(5_120);
});

test.each([
  [enveloped, { after: UNKNOWN_ID, order: 'asc', email: 'a@example.org', q: 'ad' }],
  [bare, { page: '1', limit: '1', after: UNKNOWN_ID, order: 'asc', email: 'a@example.org', q: 'ad' }],
])('$path returns 400 for a repeated query parameter', async (client, parameters) => {
  const message = 'must be given only once';
  for (const [name, value] of Object.entries(parameters)) {
    const response = await client.list({ [name]: [value, value] });
    expect(response.status).toBe(400);
    expect(parseError(response)).toEqual({ error: `${name}: ${message}`, issues: [{ path: [name], message }] });
  }
  const { error } = parseError(await client.list({ q: ['ad', 'bd'], email: ['a', 'b', 'c'] }));
  expect(error).toBe(`email: ${message}; q: ${message}`);
});

test.each(['page', 'limit'])('/v1/users returns 400 when %s is not a whole number of at least 1', async (parameter) => {
  for (const value of ['0', '-1', '1.5', '1e2', '0x1', '+1', ' 1', '', 'x', 'null', '1,2']) {
    const response = await bare.list({ [parameter]: value });
    expect([value, response.status]).toEqual([value, 400]);
    expect(parseError(response).error).toContain(`${parameter}: must be a whole number, at least 1`);
  }
  expect((await bare.list({ [parameter]: '9'.repeat(30) })).status).toBe(400);
});

test('/v1/users returns 400 when limit is above 1000', async () => {
  expect((await bare.list({ limit: '1000' })).status).toBe(200);
  const response = await bare.list({ limit: '1001' });
  expect(response.status).toBe(400);
  expect(parseError(response).error).toBe('limit: must be at most 1000');
});

test('reading parameters takes linear time', () => {
  const read = (count: number) => {
    const query = Object.fromEntries(Array.from({ length: count }, (_, at) => [at.toString(36), '']));
    return readQuery(createRestEvent('GET', '/v1/users', { query }));
  };
  expect(measureGrowth(read, 1_000)).toBeLessThan(MAX_LINEAR_GROWTH);
});
