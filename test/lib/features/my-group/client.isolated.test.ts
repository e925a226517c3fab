import { parse, validate } from 'graphql';
import { beforeAll, expect, test, vi } from 'vitest';
import { createClient, isEmailTaken, isNotFound } from '../../../../lib/client/client.ts';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/group-admin-fields.json';
  process.env.GROUP_CLAIM = 'org_id';
});

const { createAdministrator, createCompany, createMember } = await import('./companies.ts');

beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
});
startServiceBeforeAll();

type Fields = { title?: string; badge?: string; plan?: string };
const FIELDS = ['title', 'badge', 'plan'] as const;

/** Loses the answer of the first request after `loseNext()`. */
async function connect() {
  const company = await createCompany();
  const ada = await createAdministrator(service.url, issuer, company);
  let isLost = false;
  const faultyFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!isLost) return response;
    isLost = false;
    throw new TypeError('fetch failed');
  };
  const { myGroup } = createClient<Fields>({
    baseUrl: service.url,
    auth: () => ada.authorization.replace('Bearer ', ''),
    fetch: faultyFetch,
    fields: FIELDS,
    retries: { maxPauseMs: 5 },
  });
  const loseNext = () => {
    isLost = true;
  };
  return { company, ada, myGroup, loseNext };
}

test('members are listed, found, added, changed and removed', async () => {
  const { company, ada, myGroup } = await connect();
  expect(await myGroup.get()).toEqual({ id: company.id, name: 'Acme' });
  const email = `bob-${ada.id}@example.org`;
  const bob = await myGroup.add({ name: 'Bob', email, title: 'Clerk' });
  expect(bob).toEqual({
    id: bob.id,
    name: 'Bob',
    email,
    role: 'member',
    title: 'Clerk',
    plan: 'free',
    createdAt: bob.createdAt,
  });
  await expect(myGroup.add({ name: 'Bob', email })).rejects.toSatisfy(isEmailTaken);
  expect(await myGroup.find(bob.id)).toEqual(bob);
  const [first, ...others] = await Array.fromAsync(myGroup.list({ pageSize: 1 }));
  expect([first?.id, others]).toEqual([ada.id, [bob]]);
  expect(await myGroup.page({ search: 'bob', role: 'member', limit: 10 })).toEqual({ members: [bob], next: undefined });
  expect(await myGroup.update(bob.id, { role: 'owner', title: null })).toMatchObject({ role: 'owner' });
  await expect(myGroup.remove(ada.id)).rejects.toMatchObject({ code: 'LAST_ADMIN' });
  await myGroup.remove(bob.id);
  expect(await myGroup.find(bob.id)).toBeNull();
  await expect(myGroup.remove(bob.id)).rejects.toSatisfy(isNotFound);
  await expect(myGroup.update(bob.id, { name: 'Eve' })).rejects.toSatisfy(isNotFound);
});

test('after a lost answer, each call takes effect once', async () => {
  const { company, ada, myGroup, loseNext } = await connect();
  await createMember(company, { role: 'admin' });
  loseNext();
  const bob = await myGroup.add({ name: 'Bob', email: `bob-${ada.id}@example.org` });
  expect((await myGroup.page()).members).toHaveLength(3);
  loseNext();
  expect(await myGroup.update(bob.id, { name: 'Robert', role: 'admin' })).toMatchObject({ name: 'Robert' });
  loseNext();
  await myGroup.remove(bob.id);
  expect((await myGroup.page()).members).toHaveLength(2);
});

test('every document is valid', async () => {
  const { schema } = await import('../../../../lib/graphql/schema/schema.ts');
  const documents = Object.entries(await import('../../../../lib/client/my-group.ts')).filter(([name]) =>
    name.endsWith('Document'),
  );
  expect(documents.length).toBe(6);
  for (const [name, document] of documents) {
    const create = document as ((fields: readonly string[]) => unknown) | string;
    const text = typeof create === 'function' ? String(create(FIELDS)) : create;
    expect([name, validate(schema, parse(text))]).toEqual([name, []]);
  }
});
