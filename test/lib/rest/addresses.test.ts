import { describe, expect, test } from 'vitest';
import { newPerson } from '../../setup/test-data.ts';
import { bare, enveloped } from './client.ts';

describe.each([
  { client: enveloped, other: bare },
  { client: bare, other: enveloped },
])('$client.path', ({ client, other }) => {
  const createWith = async (email: string) => (await other.create({ name: 'Ada', email })).status;

  test('addresses are equal regardless of case, spaces around them and Unicode normalization', async () => {
    const { email } = newPerson();
    expect(await createWith(`josé.${email}`)).toBe(201);
    for (const same of [`JOSÉ.${email.toUpperCase()}`, `  josé.${email} `, `jose\u0301.${email}`])
      expect(await createWith(same)).toBe(409);
  });

  test('an address with a Unicode domain equals the one with its ASCII form', async () => {
    const [local] = newPerson().email.split('@');
    expect(await createWith(`${local}@bücher.example`)).toBe(201);
    expect(await createWith(`${local}@xn--bcher-kva.example`)).toBe(409);
  });

  test.each([
    ['local part', '.νίκοσ@example.org'],
    ['domain', '@νικοσ-shop.gr'],
  ])('an address equals its upper case where a sigma ends a word of the %s', async (_, end) => {
    const lower = newPerson().email.replace(/@.*/, end);
    expect(await createWith(lower)).toBe(201);
    expect(await createWith(lower.toUpperCase())).toBe(409);
    expect(client.parseUsers(await client.list({ email: lower.toUpperCase() }))).toMatchObject([{ email: lower }]);
  });

  test('addresses that differ in a tag or an accent are different', async () => {
    const { email } = await client.newUser();
    for (const different of [`x+${email}`, `é${email}`, `e${email}`]) expect(await createWith(different)).toBe(201);
  });

  test('PUT and PATCH accept the address that the user has, also in another case', async () => {
    const user = await client.newUser();
    const email = user.email.replace('p', 'P');
    expect((await client.replace(user.id, { name: 'Same', email: user.email })).status).toBe(200);
    expect(client.parseUser(await client.update(user.id, { email })).email).toBe(email);
    expect((await client.read(user.id)).email).toBe(email);
    expect(await createWith(user.email)).toBe(409);
  });

  test.each(['replace', 'update'] as const)('%s frees the old address and claims the new one', async (write) => {
    const { id, email } = await client.newUser();
    const next = newPerson();
    expect((await client[write](id, next)).status).toBe(200);
    expect(await createWith(email)).toBe(201);
    expect(await createWith(next.email)).toBe(409);
  });

  test('a user can take back the address that it had before', async () => {
    const { id, email } = await client.newUser();
    await client.update(id, { email: newPerson().email });
    expect((await client.update(id, { email })).status).toBe(200);
    expect(await createWith(email)).toBe(409);
  });
});
