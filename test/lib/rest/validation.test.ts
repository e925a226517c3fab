import { beforeEach, describe, expect, test } from 'vitest';
import type { UserRecord } from '../../setup/bodies.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare, enveloped, parseError, type RestClient } from './client.ts';

/** Writes of one member. POST and PUT add missing required fields. */
const writes = {
  POST: (client: RestClient, _: string, fields: object) => client.create({ ...newPerson(), ...fields }),
  PUT: (client: RestClient, id: string, fields: object) => client.replace(id, { ...newPerson(), ...fields }),
  PATCH: (client: RestClient, id: string, fields: object) => client.update(id, fields),
};
/** Tests each method in one format, because validation is the same in both. */
const cases = Object.entries(writes).map(([method, write], index) => {
  const client = index % 2 ? bare : enveloped;
  return { client, path: client.path, method, write };
});

const invalidNames: [string, unknown, string][] = [
  ['a number', 7, 'must be a string'],
  ['null', null, 'must be a string'],
  ['an array', ['Ada'], 'must be a string'],
  ['empty', '', 'must not be empty'],
  ['only spaces', ' \t ', 'must not be empty'],
  ['257 characters long', 'n'.repeat(257), 'must have at most 256 characters'],
  ['with a NUL', 'Ada\u0000', 'must not contain control characters'],
  ['with a line break', 'Ada\nLovelace', 'must not contain control characters'],
  ['with a C1 control character', 'Ada\u0085', 'must not contain control characters'],
  ['malformed Unicode', 'Ada\ud800', 'must be well-formed Unicode'],
];

const invalidEmails: [string, unknown][] = [
  ['an object', {}],
  ['null', null],
  ['empty', ''],
  ['without @', 'ada.example.org'],
  ['without a local part', '@example.org'],
  ['without a domain', 'ada@'],
  ['with two @', 'ada@lovelace@example.org'],
  ['with a space', 'ada lovelace@example.org'],
  ['with a control character', 'ada\u0000@example.org'],
  ['with an invisible character', 'a\u200bda@example.org'],
  ['malformed Unicode', 'ada\ud800@example.org'],
  ['with two dots in a row', 'ada..l@example.org'],
  ['with a domain of one label', 'ada@localhost'],
  ['with an IP address as domain', 'ada@192.0.2.1'],
  ['with a label that ends in a hyphen', 'ada@example-.org'],
  ['with a local part of 65 octets', `${'x'.repeat(65)}@example.org`],
  ['255 octets long', `${'x'.repeat(64)}@${`${'a'.repeat(60)}.`.repeat(3)}abc.org`],
];

describe.each(cases)('$method at $path', ({ client, method, write }) => {
  let user: UserRecord;
  beforeEach(async () => {
    user = await client.newUser();
  });

  test('returns 400 and changes nothing when the name is invalid', async () => {
    for (const [what, name, message] of invalidNames) {
      const response = await write(client, user.id, { name });
      expect([what, response.status]).toEqual([what, 400]);
      expect(parseError(response)).toEqual({ error: `name: ${message}`, issues: [{ path: ['name'], message }] });
    }
    expect(await client.read(user.id)).toEqual(user);
  });

  test('returns 400 and changes nothing when the email is invalid', async () => {
    for (const [what, email] of invalidEmails) {
      const response = await write(client, user.id, { email });
      expect([what, response.status]).toEqual([what, 400]);
      const { issues = [] } = parseError(response);
      expect([what, new Set(issues.map(({ path }) => path.join('.')))]).toEqual([what, new Set(['email'])]);
    }
    expect(await client.read(user.id)).toEqual(user);
  });

  test('returns all issues together', async () => {
    const response = await write(client, user.id, { name: '', email: 'nobody', nickname: 'A' });
    expect(parseError(response)).toEqual({
      error: 'name: must not be empty; email: must be an email address; nickname: is not a known member',
      issues: [
        { path: ['name'], message: 'must not be empty' },
        { path: ['email'], message: 'must be an email address' },
        { path: ['nickname'], message: 'is not a known member' },
      ],
    });
  });

  test('replaces lone surrogates in the names of unknown members, because some JSON parsers reject them', async () => {
    const response = await write(client, user.id, { '\ud800x': 1 });
    expect(parseError(response).error).toBe('\ufffdx: is not a known member');
  });

  test('accepts names of 1 and of 256 code points', async () => {
    for (const name of ['A', '🦊'.repeat(256), `  ${'n'.repeat(256)} `])
      expect(client.parseUser(await write(client, user.id, { name })).name).toBe(name.trim());
  });

  test('accepts an email of 254 octets and Unicode on both sides, and keeps it as typed', async () => {
    const unique = `${method}${client.path.length}`;
    const longest = `${unique.padEnd(64, 'x')}@${`${'a'.repeat(62)}.`.repeat(2)}${'b'.repeat(59)}.org`;
    expect(Buffer.byteLength(longest)).toBe(254);
    const unicode = [`Jörg.${unique}@exämple.org`, `用户${unique}@例子.广告`, `O'Brien+%41${unique}@Example.ORG`];
    for (const email of [longest, ...unicode])
      expect(client.parseUser(await write(client, user.id, { email })).email).toBe(email);
  });

  test('trims name and email', async () => {
    const { name, email } = newPerson();
    const response = await write(client, user.id, { name: ` \t${name}  `, email: `  ${email} ` });
    expect(client.parseUser(response)).toMatchObject({ name, email });
  });
});
