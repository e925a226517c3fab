import '../browser-globals.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { createUser, isTooShort, listUsers } from '../../../../../infra/web/console/api/users.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';

afterEach(() => ownFields.set(() => []));

test.each([
  ['', false],
  ['k', true],
  ['kn', false],
  ['कि', true],
])('%j is too short to search for: %s', (q, expected) => {
  expect(isTooShort(q)).toBe(expected);
});

const ada = { id: '1', name: 'Ada', email: 'ada@example.org' };

function answer(body: object) {
  const fetch = vi.fn(async (_path: string, _options: RequestInit) =>
    Response.json(body, { headers: { etag: '"2"' } }),
  );
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

test('a filtered list takes one request and has no total', async () => {
  const fetch = answer([ada]);
  expect(await listUsers({ limit: 20, filter: { memberNumber: 'AB 1&2' } })).toEqual({ users: [ada] });
  expect(fetch.mock.calls[0]?.[0]).toBe('/v1/users?include=times&limit=20&memberNumber=AB%201%262');
});

test('createUser omits fields without a value and adds defaults of required fields', async () => {
  ownFields.set(() => [
    { name: 'nickname', type: 'string' },
    { name: 'isStaff', type: 'boolean', required: true, default: false },
    { name: 'plan', type: 'string', default: 'free' },
  ]);
  const fetch = answer(ada);
  await createUser({ name: 'Ada', email: 'ada@example.org', nickname: null }, 'key');
  const body = JSON.parse(String(fetch.mock.calls[0]?.[1].body));
  expect(body).toEqual({ name: 'Ada', email: 'ada@example.org', isStaff: false });
});
