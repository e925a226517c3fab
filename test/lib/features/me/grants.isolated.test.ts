import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { AUDIENCE, type Issuer, startIssuer } from '../../auth/issuer.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/logins-fields.json';
  process.env.SELF_DELETE = 'erase';
  process.env.EMAIL_FOLLOWS = 'on';
  process.env.REQUIRED_AUTHORIZER = 'jwt';
});

const { grants } = await import('../../../../infra/construct/grants.ts');
const { createContext } = await import('../../../../infra/local/runtime.ts');
const { deleteItems, putItems } = await import('../../../../lib/dynamodb/batch.ts');
const { transact } = await import('../../../../lib/dynamodb/transact.ts');
const { emailKey, uniqueKey } = await import('../../../../lib/dynamodb/keys.ts');
const { environment } = await import('../../../../lib/environment.ts');
const { issuerKey, personKey } = await import('../../../../lib/features/me/keys.ts');
const { findBySubject, ISSUER_TTL_MS } = await import('../../../../lib/features/me/read.ts');
const { deleteUser } = await import('../../../../lib/users/delete.ts');
const { createUser, recordItem } = await import('../../../../lib/users/write.ts');
const { operations } = await import('../../../../lib/rest/operations.ts');
const { createRestEvent } = await import('../../../setup/event.ts');
const { getUsed } = await import('../../../setup/grants.ts');

const load = async (name: string) => [name, (await import(`../../../../functions/${name}.ts`)).handler];
const NAMES = ['get-me', 'create-me', 'update-me', 'add-login', 'delete-me', 'sign-in', 'get-my-data'] as const;

let issuer: Issuer;

beforeAll(async () => {
  issuer = await startIssuer();
  Object.assign(process.env, { AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: AUDIENCE });
});
afterAll(() => issuer.stop());

async function createAddressOfGoneUser(): Promise<string> {
  const email = `${randomUUID()}@example.org`;
  await putItems([{ ...emailKey(email), userId: randomUUID(), version: 1 }]);
  return email;
}

/** Records an index entry that an earlier release needed. */
async function recordOutdatedEntry(subject: string): Promise<void> {
  const stored = await findBySubject(subject);
  if (!stored) throw new Error('The person has no record');
  const { failures } = await transact({ user: recordItem(stored, [...stored.derived, 'LIST#former\t']) });
  expect(failures).toBeUndefined();
}

test('each function of own records is granted exactly the actions it uses', async () => {
  const handlers = Object.fromEntries(await Promise.all(NAMES.map(load)));
  const [sub, login] = [randomUUID(), randomUUID()];
  async function send(name: (typeof NAMES)[number], email: string, body?: object): Promise<number> {
    const claims = { sub, iss: issuer.url, scope: 'users:self', email, email_verified: true };
    const token = `.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;
    const { method, path } = operations[name];
    const event = createRestEvent(method, '/v1/users', { body, headers: { authorization: `Bearer ${token}` } }, path);
    Object.assign(event.requestContext, { authorizer: { jwt: { claims: { sub }, scopes: ['users:self'] } } });
    return (await handlers[name](event, createContext())).statusCode;
  }
  // Create a record without an issuer: get-me stores the issuer when it finds the record, so it uses its grant to
  // write.
  const input = { name: 'Linked', email: `${sub}@example.org`, sub: [sub] };
  const { user } = await createUser(input, 'system');
  expect(await send('get-me', user.email)).toBe(200);
  await deleteUser({ id: user.id }, 'system');
  await deleteItems([personKey(sub)]);
  const [first, second] = [await createAddressOfGoneUser(), await createAddressOfGoneUser()];
  expect(await send('create-me', first, { name: 'Ada', nickname: sub })).toBe(201);
  expect(await send('update-me', second, { email: second, nickname: null })).toBe(200);
  const third = await createAddressOfGoneUser();
  expect(await send('sign-in', third, {})).toBe(200);
  // A claim of a user who is gone is replaced, which needs a check of the user. An outdated index entry is deleted.
  await putItems([{ ...uniqueKey('sub:exact', login), userId: randomUUID(), version: 1 }]);
  await recordOutdatedEntry(sub);
  const token = await issuer.sign({ sub: login, scope: 'users:self' });
  expect(await send('add-login', third, { token })).toBe(200);
  // get-my-data stores a missing issuer, too. Each process caches the issuer for a minute.
  await deleteItems([issuerKey]);
  const later = Date.now() + ISSUER_TTL_MS;
  const clock = vi.spyOn(environment, 'now').mockImplementation(() => later);
  expect(await send('get-my-data', third)).toBe(200);
  clock.mockRestore();
  expect(await send('delete-me', third)).toBe(204);
  for (const name of NAMES) {
    // Adds the read of INIT, which happens outside the recorded invocations.
    const used = getUsed(name).table.add('GetItem');
    expect([name, [...used].toSorted()]).toEqual([name, [...grants[name].table].toSorted()]);
    expect([...getUsed(name).index], name).toEqual([]);
  }
});
