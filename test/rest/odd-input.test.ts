import { describe, expect, test } from 'vitest';
import { newPerson } from '../setup/test-data.ts';
import { clients, parseError } from './client.ts';

describe.each(clients)('odd input at $path', (client) => {
  test('a body of many unknown members is refused in few words', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${'x'.repeat(200)}${at}`, at]));
    const reply = await client.create({ ...newPerson(), ...unknown });
    expect(reply.status).toBe(400);
    expect(parseError(reply).issues).toHaveLength(20);
    expect(reply.text.length).toBeLessThan(10_000);
  });

  test('a body that is not UTF-8 is refused, not stored with other letters', async () => {
    const { email } = newPerson();
    const body = Buffer.concat([Buffer.from('{"name":"Ad'), Buffer.from([0xe9]), Buffer.from(`","email":"${email}"}`)]);
    const reply = await client.send('create-user', { body: body.toString('base64'), isBase64Encoded: true });
    expect(reply.status).toBe(400);
    expect(client.parseUsers(await client.list({ email }))).toEqual([]);
  });

  test.each(['"1"x', '"x""1"', '1', '"1" "1"', ',', ''])('If-Match: %s names no version', async (ifMatch) => {
    const { id } = await client.newUser();
    expect((await client.update(id, { name: 'No' }, { 'if-match': ifMatch })).status).toBe(412);
  });

  test('an after in upper case stands where it stands in lower case', async () => {
    const { id } = await client.newUser();
    const next = await client.newUser();
    expect(client.parseUsers(await client.list({ after: id.toUpperCase() }))[0]).toEqual(next);
  });

  test('?email= finds an address whose plus was not encoded', async () => {
    const email = `ada+${newPerson().email}`;
    const user = await client.newUser({ email });
    expect(client.parseUsers(await client.list({ email: email.replace('+', ' ') }))).toEqual([user]);
  });

  test('an address with letters that cannot be seen is none', async () => {
    const reply = await client.create({ name: 'Twin', email: `a\u200bda${newPerson().email}` });
    expect(parseError(reply).issues).toMatchObject([{ path: ['email'] }]);
  });
});
