import { describe, expect, test } from 'vitest';
import { newPerson } from '../setup/test-data.ts';
import { clients, parseError } from './client.ts';

describe.each(clients)('an address at $path', (client) => {
  const take = (email: string) => client.create({ name: 'Taker', email });

  test('is one user’s: another is refused with 409', async () => {
    const { email } = await client.newUser();
    const reply = await take(email);
    expect(reply.status).toBe(409);
    expect(parseError(reply)).toEqual({ error: 'Another user has this email' });
  });

  test('is the same in any case, with spaces around it, and in either form of its accents', async () => {
    const { email } = newPerson();
    expect((await take(`josé.${email}`)).status).toBe(201);
    for (const same of [`JOSÉ.${email.toUpperCase()}`, `  josé.${email} `, `jose\u0301.${email}`])
      expect((await take(same)).status).toBe(409);
  });

  test('is the same with a Unicode domain and with its ASCII form', async () => {
    const local = newPerson().email.split('@')[0];
    expect((await take(`${local}@bücher.example`)).status).toBe(201);
    expect((await take(`${local}@xn--bcher-kva.example`)).status).toBe(409);
  });

  test('is another with another tag or accent', async () => {
    const { email } = await client.newUser();
    for (const other of [`x+${email}`, `é${email}`, `e${email}`]) expect((await take(other)).status).toBe(201);
  });

  test('is refused to a replacement and an update when taken, and nothing changes', async () => {
    const [user, { email }] = [await client.newUser(), await client.newUser()];
    expect((await client.replace(user.id, { name: 'No', email: email.toUpperCase() })).status).toBe(409);
    expect((await client.update(user.id, { name: 'No', email })).status).toBe(409);
    expect(await client.read(user.id)).toEqual(user);
    expect((await take(user.email)).status).toBe(409);
  });

  test('can be sent again by who has it, and respelled', async () => {
    const user = await client.newUser();
    const email = user.email.replace('p', 'P');
    expect((await client.replace(user.id, { name: 'Same', email: user.email })).status).toBe(200);
    expect(client.parseUser(await client.update(user.id, { email })).email).toBe(email);
    expect((await client.read(user.id)).email).toBe(email);
    expect((await take(user.email)).status).toBe(409);
  });

  test.each(['replace', 'update'] as const)('is freed and another taken by %s', async (write) => {
    const { id, email } = await client.newUser();
    const next = newPerson();
    expect((await client[write](id, next)).status).toBe(200);
    expect((await take(email)).status).toBe(201);
    expect((await take(next.email)).status).toBe(409);
  });

  test('can be left and taken back', async () => {
    const { id, email } = await client.newUser();
    await client.update(id, { email: newPerson().email });
    expect((await client.update(id, { email })).status).toBe(200);
    expect((await take(email)).status).toBe(409);
  });

  test('is freed with the user', async () => {
    const { id, email } = await client.newUser();
    await client.remove(id);
    expect((await take(email)).status).toBe(201);
  });
});
