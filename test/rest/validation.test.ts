import { describe, expect, test } from 'vitest';
import { newPerson } from '../setup/test-data.ts';
import { type RestClient, clients, parseError } from './client.ts';

type Write = (fields: unknown) => ReturnType<RestClient['create']>;

/** Every write that takes a body: what it sends stands over a body that would be taken. */
const writesOf = (client: RestClient, id: string) => ({
  POST: ((fields) => client.create(over(fields, newPerson()))) satisfies Write,
  PUT: ((fields) => client.replace(id, over(fields, newPerson()))) satisfies Write,
  PATCH: ((fields) => client.update(id, fields)) satisfies Write,
});
const over = (fields: unknown, valid: object) =>
  typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? { ...valid, ...fields } : fields;

const methods = ['POST', 'PUT', 'PATCH'] as const;
const cases = clients.flatMap((client) => methods.map((method) => ({ client, path: client.path, method })));

describe.each(cases)('$method at $path', ({ client, method }) => {
  const write = async (fields: unknown) => {
    const user = await client.newUser();
    const reply = await writesOf(client, user.id)[method](fields);
    if (reply.status === 400) expect(await client.read(user.id)).toEqual(user);
    return reply;
  };

  test.each([
    ['is no string', 7],
    ['is null', null],
    ['is a list', ['Ada']],
    ['is empty', ''],
    ['is only spaces', ' \t '],
    ['has 257 characters', 'n'.repeat(257)],
    ['holds a NUL', 'Ada\u0000'],
    ['holds a line break', 'Ada\nLovelace'],
    ['holds a C1 control', 'Ada\u0085'],
    ['is broken Unicode', 'Ada\ud800'],
  ])('refuses a name that %s, as an issue of it', async (_, name) => {
    const reply = await write({ name });
    expect(reply.status).toBe(400);
    expect(parseError(reply).issues).toMatchObject([{ path: ['name'] }]);
  });

  test.each([
    ['is no string', {}],
    ['is null', null],
    ['is empty', ''],
    ['has no @', 'ada.example.org'],
    ['has no local part', '@example.org'],
    ['has no domain', 'ada@'],
    ['has two @', 'ada@lovelace@example.org'],
    ['holds a space', 'ada lovelace@example.org'],
    ['holds a control character', 'ada\u0000@example.org'],
    ['has a dot too many', 'ada..l@example.org'],
    ['has a bare host', 'ada@localhost'],
    ['has an IP for a domain', 'ada@192.0.2.1'],
    ['has a label that ends in a hyphen', 'ada@example-.org'],
    ['has a local part of 65 octets', `${'x'.repeat(65)}@example.org`],
    ['has 255 octets', `${'x'.repeat(64)}@${`${'a'.repeat(60)}.`.repeat(3)}abc.org`],
  ])('refuses an email that %s, as an issue of it', async (_, email) => {
    const reply = await write({ email });
    expect(reply.status).toBe(400);
    const { issues = [] } = parseError(reply);
    expect(new Set(issues.map(({ path }) => path.join('.')))).toEqual(new Set(['email']));
  });

  test('takes names of 1 and of 256 characters, each code point as one', async () => {
    for (const name of ['A', '🦊'.repeat(256), `  ${'n'.repeat(256)} `])
      expect(client.parseUser(await write({ name })).name).toBe(name.trim());
  });

  test('takes an email of 254 octets, and Unicode on both sides, and keeps it as typed', async () => {
    const mine = `${method}${client.path.length}`;
    const longest = `${mine.padEnd(64, 'x')}@${`${'a'.repeat(62)}.`.repeat(2)}${'b'.repeat(59)}.org`;
    expect(Buffer.byteLength(longest)).toBe(254);
    for (const email of [
      longest,
      `Jörg.${mine}@exämple.org`,
      `用户${mine}@例子.广告`,
      `O'Brien+%41${mine}@Example.ORG`,
    ])
      expect(client.parseUser(await write({ email })).email).toBe(email);
  });

  test('trims name and email', async () => {
    const { name, email } = newPerson();
    const user = client.parseUser(await write({ name: ` \t${name}  `, email: `  ${email} ` }));
    expect(user).toMatchObject({ name, email });
  });

  test('names every issue at once', async () => {
    const { issues } = parseError(await write({ name: '', email: 'nobody', nickname: 'A' }));
    expect(issues?.map(({ path }) => path)).toEqual(expect.arrayContaining([['name'], ['email'], ['nickname']]));
  });

  test.each(['nickname', 'constructor', '__proto__', 'createdAt', 'version', 'ifVersion'])(
    'refuses the unknown member %s and names it',
    async (member) => {
      const user = await client.newUser();
      const { name, email } = newPerson();
      const body = `{"name":"${name}","email":"${email}","${member}":"x"}`;
      const reply = await writesOf(client, user.id)[method](body);
      expect(reply.status).toBe(400);
      expect(parseError(reply).error).toContain(member);
      expect(await client.read(user.id)).toEqual(user);
    },
  );

  test.each(['{"name": ', '{name: "Ada"}', 'Ada', "{'name':'Ada'}", '{"name":"Ada"}}', ''])(
    'refuses %j, which is not JSON',
    async (body) => {
      const reply = await write(body);
      expect(reply.status).toBe(400);
      expect(parseError(reply).error).toMatch(/not valid JSON/);
    },
  );

  test.each(['[]', '"Ada"', 'null', '42', 'true'])('refuses %s, which is no object', async (body) => {
    const reply = await write(body);
    expect(reply.status).toBe(400);
    expect(parseError(reply).issues).toHaveLength(1);
  });

  test('tells nothing of its inner workings when it refuses', async () => {
    for (const body of ['{"name":', '{"name":{"toString":1},"email":[]}', '{"id":{"$ne":1}}'])
      expect((await write(body)).text).not.toMatch(/ at \S+:\d+|node_modules|dynamo|zod|SyntaxError|TypeError/i);
  });
});
