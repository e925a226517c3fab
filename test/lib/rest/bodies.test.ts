import { beforeAll, describe, expect, test } from 'vitest';
import type { UserRecord } from '../../setup/bodies.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare, clients, parseError, UNKNOWN_ID } from './client.ts';

/** PATCH only, because all writes parse bodies alike. The contract tests the others. */
describe('a body', () => {
  const client = bare;
  let user: UserRecord;
  beforeAll(async () => {
    user = await client.newUser();
  });

  async function reject(body: unknown) {
    const response = await client.update(user.id, body);
    expect([body, response.status]).toEqual([body, 400]);
    expect(await client.read(user.id)).toEqual(user);
    return parseError(response);
  }

  test('returns 400 when the body is not JSON', async () => {
    for (const body of ['{"name": ', '{name: "Ada"}', 'Ada', "{'name':'Ada'}", '{"name":"Ada"}}'])
      expect(await reject(body)).toEqual({ error: 'The body is not valid JSON' });
  });

  test('returns 400 when an object repeats a member', async () => {
    const { name, email } = newPerson();
    const message = 'must be given only once';
    for (const member of ['name', '\\u006eame'])
      expect(await reject(`{"name":"Ada","email":"${email}","${member}":"${name}"}`)).toEqual({
        error: `name: ${message}`,
        issues: [{ path: ['name'], message }],
      });
  });

  test('returns 400 in at most 4 kB when a member with a long path is repeated', async () => {
    const start = `{"${'"\\u0001'.replaceAll('"', '\\"').repeat(100)}":`.repeat(30);
    const error = await reject(`${start}{"a":1,"a":2}${'}'.repeat(30)}`);
    expect(error.issues).toMatchObject([{ path: { length: 31 }, message: 'must be given only once' }]);
    expect(Buffer.byteLength(JSON.stringify(error))).toBeLessThanOrEqual(4_096);
  });

  test('returns 400 when the body is empty', async () => {
    for (const body of ['', ' \n', undefined]) expect(await reject(body)).toEqual({ error: 'The body is empty' });
  });

  test('returns 400 when the body is nested more than 32 levels deep', async () => {
    const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(await reject(nest(33))).toEqual({ error: 'The body is nested more than 32 levels deep' });
    expect(await reject('['.repeat(100_000))).toEqual({ error: 'The body is nested more than 32 levels deep' });
    expect(await reject(nest(32))).toEqual({
      error: 'input: must be an object',
      issues: [{ path: [], message: 'must be an object' }],
    });
  });

  test('returns 400 when the body has more than 100,000 bytes, before it is parsed', async () => {
    const body = (bytes: number) => '['.padEnd(bytes, ' ');
    expect(await reject(body(100_001))).toEqual({ error: 'The body has 100001 bytes, which is more than 100000' });
    expect(await reject(body(100_000))).toEqual({ error: 'The body is not valid JSON' });
  });

  test('does not count brackets in strings as nesting', async () => {
    const brackets = '[{'.repeat(40);
    // Brackets inside a string do not count, even after escaped quotes and backslashes.
    for (const name of [`"${brackets}`, `""${brackets}`, `\\${brackets}\\`]) {
      const response = await client.create({ ...newPerson(), name });
      expect(client.parseUser(response).name).toBe(name);
    }
  });

  test('returns 400 with one issue when the body is not an object', async () => {
    for (const body of ['[]', '"Ada"', 'null', '42', 'true'])
      expect((await reject(body)).issues).toEqual([{ path: [], message: 'must be an object' }]);
  });

  test('returns 400 and names the unknown members', async () => {
    for (const member of ['nickname', 'constructor', '__proto__', 'createdAt', 'version', 'ifVersion']) {
      const { name, email } = newPerson();
      const error = await reject(`{"name":"${name}","email":"${email}","${member}":"x"}`);
      expect(error.error).toBe(`${member}: is not a known member`);
    }
  });

  test('returns 400 and names 10 of many unknown members, in at most 4 kB', async () => {
    for (const name of ['f', '"'.repeat(5), '\u0001'.repeat(100), '🦊'.repeat(20)]) {
      const unknown = Object.fromEntries(Array.from({ length: 110 }, (_, at) => [`${name}${at}`, at]));
      const error = await reject({ ...newPerson(), ...unknown });
      expect(error.issues).toHaveLength(11);
      expect(error.issues?.at(-1)).toEqual({ path: [], message: 'has 100 more issues' });
      expect(error.error).toMatch(/^.+: is not a known member; .+; input: has 100 more issues$/);
      expect(Buffer.byteLength(JSON.stringify(error))).toBeLessThanOrEqual(4_096);
    }
  });

  test('returns 400 for 9,000 unknown members', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`f${at}`, 1]));
    const { issues } = await reject(unknown);
    expect(issues?.at(-1)).toMatchObject({ path: [], message: expect.stringMatching(/^has 899[02] more issues$/) });
  });

  test('error messages reveal no internals', async () => {
    for (const body of ['{"name":', '{"name":{"toString":1},"email":[]}', '{"id":{"$ne":1}}'])
      expect(JSON.stringify(await reject(body))).not.toMatch(
        / at \S+:\d+|node_modules|dynamo|zod|SyntaxError|TypeError/i,
      );
  });
});

describe.each(clients)('$path', (client) => {
  test('POST and PUT return 400 when a member is missing', async () => {
    const user = await client.newUser();
    for (const field of ['name', 'email'] as const) {
      const { [field]: _, ...body } = newPerson();
      for (const response of [await client.create(body), await client.replace(user.id, body)]) {
        expect(response.status).toBe(400);
        expect(parseError(response).issues).toEqual([{ path: [field], message: 'is required' }]);
      }
    }
    expect(await client.read(user.id)).toEqual(user);
  });

  test('POST returns 400 and creates no user when the body has an id', async () => {
    const body = newPerson();
    const response = await client.create({ id: UNKNOWN_ID, ...body });
    expect(response.status).toBe(400);
    expect(parseError(response).issues).toMatchObject([{ path: ['id'] }]);
    expect((await client.create(body)).status).toBe(201);
  });

  // RFC 9110 section 14.5.
  test('PUT returns 400 and changes nothing when it has a Content-Range, and other methods ignore it', async () => {
    const user = await client.newUser();
    const headers = { 'content-range': 'bytes 0-9/100' };
    const response = await client.replace(user.id, newPerson(), headers);
    expect([response.status, parseError(response).issues?.[0]?.path]).toEqual([400, ['Content-Range']]);
    expect(await client.read(user.id)).toEqual(user);
    expect((await client.update(user.id, {}, headers)).status).toBe(200);
  });

  // RFC 8259 section 8.1.
  test('accepts a body with a byte order mark', async () => {
    const bodies = [newPerson(), newPerson()].map((person) => `\uFEFF${JSON.stringify(person)}`);
    expect((await client.create(bodies[0])).status).toBe(201);
    const body = Buffer.from(bodies[1] ?? '').toString('base64');
    expect((await client.send('create-user', { body, isBase64Encoded: true })).status).toBe(201);
    expect((await client.create(`\uFEFF${bodies[0]}`)).status).toBe(400);
  });

  test('PUT and PATCH accept the id of the path in the body', async () => {
    const { id } = await client.newUser();
    const body = { id, ...newPerson() };
    expect(client.parseUser(await client.replace(id, body))).toEqual(body);
    expect(client.parseUser(await client.update(id, { id, name: 'Ada' }))).toEqual({ ...body, name: 'Ada' });
  });

  test('PUT and PATCH return 400 and change nothing when the id differs from the path', async () => {
    const user = await client.newUser();
    const other = await client.newUser();
    expect(parseError(await client.update(user.id, { id: other.id })).error).toBe('id: must be the id in the path');
    for (const id of [other.id, '', null, 7]) {
      expect((await client.replace(user.id, { ...newPerson(), id })).status).toBe(400);
      expect((await client.update(user.id, { id, name: 'Other' })).status).toBe(400);
    }
    expect([await client.read(user.id), await client.read(other.id)]).toEqual([user, other]);
  });

  test('POST returns 400 and creates no user when the body is not UTF-8', async () => {
    const { email } = newPerson();
    const body = Buffer.concat([Buffer.from('{"name":"Ad'), Buffer.from([0xe9]), Buffer.from(`","email":"${email}"}`)]);
    const response = await client.send('create-user', { body: body.toString('base64'), isBase64Encoded: true });
    expect(response.status).toBe(400);
    expect(parseError(response)).toEqual({ error: 'The body is not valid UTF-8' });
    expect(client.parseUsers(await client.list({ email }))).toEqual([]);
  });

  test('POST accepts a body in base64', async () => {
    const person = { ...newPerson(), name: 'Zoë 李雷 🦊' };
    const body = Buffer.from(JSON.stringify(person)).toString('base64');
    expect(client.parseUser(await client.send('create-user', { body, isBase64Encoded: true }))).toMatchObject(person);
  });
});
