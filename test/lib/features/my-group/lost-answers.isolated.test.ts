import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, startFaultProxy } from '../../../setup/proxy.ts';

Object.assign(process.env, { FIELDS_FILE: 'test/setup/group-admin-fields.json', GROUP_CLAIM: 'org_id' });

let faults: Fault[] = [];
const WRITES = new Set(['TransactWriteItems', 'UpdateItem']);
let countsFirst = false;
const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', (operation, body) => {
  // The count of the group's writes is not the write under test.
  const isCount = operation === 'UpdateItem' && body.includes('"WRITES"');
  return WRITES.has(operation) && isCount === countsFirst ? faults.shift() : undefined;
});
afterAll(() => proxy.stop());

// The client reads the endpoint on import.
process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
const { requireAdministrator } = await import('../../../../lib/features/my-group/administrator.ts');
const { findMember } = await import('../../../../lib/features/my-group/read.ts');
const { addMember, removeMember, updateMember } = await import('../../../../lib/features/my-group/write.ts');
const { findStoredUser } = await import('../../../../lib/users/read.ts');
const { createCompany, createMember, createUser } = await import('./companies.ts');

beforeEach(() => {
  faults = [];
  countsFirst = false;
});

async function createAdministrator(company: Awaited<ReturnType<typeof createCompany>>) {
  const sub = randomUUID();
  await createUser({ sub, groups: [{ id: company.id, role: 'admin' }] });
  return requireAdministrator({ sub, iss: 'https://id.example.org', org_id: company.externalId });
}

const readVersion = async (id: string) => (await findStoredUser(id))?.user.version;

describe.each<[string, Fault]>([
  ['the answer is lost', 'loseAnswer'],
  ['the request is lost', 'loseRequest'],
  ['the answer is lost, and the token of the transaction has expired', 'expireToken'],
])('when %s,', (_, fault) => {
  const lose = () => {
    faults = [fault];
  };

  test('each write takes effect once', async () => {
    const company = await createCompany();
    const ada = await createAdministrator(company);
    const input = { name: 'Bob', email: `${randomUUID()}@example.org`, idempotencyKey: randomUUID() };
    lose();
    const bob = await addMember(ada, input);
    expect(await addMember(ada, input)).toEqual(bob);
    expect(await findMember(company, bob.id)).toEqual(bob);
    lose();
    expect(await updateMember(ada, { id: bob.id, name: 'Robert' })).toMatchObject({ name: 'Robert', role: 'member' });
    lose();
    expect(await updateMember(ada, { id: bob.id, role: 'admin' })).toMatchObject({ role: 'admin' });
    expect(await readVersion(bob.id)).toBe(3);
    // The transactions of the next writes check another administrator.
    lose();
    expect(await updateMember(ada, { id: bob.id, role: 'owner' })).toMatchObject({ role: 'owner' });
    await updateMember(ada, { id: bob.id, role: 'admin' });
    lose();
    expect(await removeMember(ada, { id: bob.id })).toEqual({ id: bob.id });
    expect(await readVersion(bob.id)).toBe(6);
    expect(await findMember(company, bob.id)).toBeUndefined();
    expect(faults).toEqual([]);
    await expect(removeMember(ada, { id: ada.stored.user.id })).rejects.toMatchObject({ reason: 'LAST_ADMIN' });
    await createMember(company, { role: 'admin' });
    lose();
    await removeMember(ada, { id: ada.stored.user.id });
    expect(await findMember(company, ada.stored.user.id)).toBeUndefined();
  });
});

test('a creation without a key fails with SERVICE_UNAVAILABLE if a lost request has created the member', async () => {
  const ada = await createAdministrator(await createCompany());
  faults = ['expireToken'];
  await expect(addMember(ada, { name: 'Bob', email: `${randomUUID()}@example.org` })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});

test('a taken address that becomes free before a lost request arrives does not give EMAIL_TAKEN', async () => {
  const company = await createCompany();
  const ada = await createAdministrator(company);
  const { email } = await createMember(company);
  faults = ['delay'];
  await expect(addMember(ada, { name: 'Bob', email })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await proxy.arrive()).toEqual([400]);
});

test.each<Fault>(['loseAnswer', 'loseRequest'])('a lost count (%s) does not lose the write', async (fault) => {
  const company = await createCompany();
  const ada = await createAdministrator(company);
  const { id } = await createMember(company);
  await updateMember(ada, { id, name: 'One' });
  [countsFirst, faults] = [true, [fault]];
  expect(await updateMember(ada, { id, name: 'Two' })).toMatchObject({ name: 'Two' });
  expect(faults).toEqual([]);
});
