import { afterEach, expect, test, vi } from 'vitest';
import { encodeCursor } from '../../../../lib/input/cursor.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { createUser, execute, mutate } from '../../graphql/client.ts';
import { clients, parseError } from '../../rest/client.ts';

/** A text that took 3 s to normalize, because normalization sorts combining marks. */
const marks = '\u0301\u0316'.repeat(22_000);
const normalize = vi.spyOn(String.prototype, 'normalize');
afterEach(() => normalize.mockClear());

/** Expects that no longer text than allowed was normalized: 256 characters of at most two code units. */
const expectShort = () => {
  for (const text of normalize.mock.contexts) expect(String(text).length).toBeLessThanOrEqual(512);
};

const search = (text: string, after?: string) =>
  execute('query ($text: String!, $after: String) { users(search: $text, after: $after) { edges { cursor } } }', {
    text,
    after,
  });

test('GraphQL rejects a search text above 256 characters without normalizing it', async () => {
  for (const text of [marks, `ad${marks}`, 'x'.repeat(257), '🦊'.repeat(257)]) {
    const { errors } = await search(text);
    expect(errors?.map(({ message, extensions }) => [message, extensions.code])).toEqual([
      ['search: must have at most 256 characters', 'BAD_USER_INPUT'],
    ]);
  }
  for (const text of ['x'.repeat(256), '🦊'.repeat(256)]) expect((await search(text)).errors).toBeUndefined();
  expectShort();
});

test.each(clients)('$path also rejects it, together with other issues', async (client) => {
  const after = encodeCursor('0ad\t01890000-0000-7000-8000-000000000000');
  const response = await client.list({ q: marks, after, order: 'up' });
  expect(response.status).toBe(400);
  expect(parseError(response).issues).toEqual([
    { path: ['order'], message: 'must be asc or desc' },
    { path: ['q'], message: 'must have at most 256 characters' },
  ]);
  expectShort();
});

test('addresses, names and cursors are measured before they are normalized', async () => {
  const { id } = await createUser();
  for (const email of [`ada@${marks}.org`, `${marks}@example.org`]) {
    await execute('query ($email: String!) { userByEmail(email: $email) { id } }', { email });
    await mutate('createUser', { ...newPerson(), email });
    await mutate('updateUser', { id, name: `a${marks}` });
    for (const client of clients) {
      expect((await client.list({ email })).status).toBe(200);
      const response = await client.create({ ...newPerson(), email });
      expect(parseError(response).issues).toEqual([{ path: ['email'], message: 'must have at most 254 octets' }]);
    }
  }
  expect((await search('ad', Buffer.from(`ad${marks}`).toString('base64url'))).errors).toHaveLength(1);
  expectShort();
});
