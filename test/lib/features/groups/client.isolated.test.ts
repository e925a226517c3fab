import { randomUUID } from 'node:crypto';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createClient, isChanged, isNotFound, isTaken } from '../../../../lib/client/client.ts';
import { schema } from '../../../../lib/graphql/schema/schema.ts';
import { type Service, startServiceHere } from '../../../setup/service.ts';
import { newPerson } from '../../../setup/test-data.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

let service: Service;
beforeAll(async () => {
  service = await startServiceHere();
});
afterAll(() => service.stop());

/** Loses the answer of the first request after `loseNext()`. */
function connect() {
  let isLost = false;
  const faultyFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!isLost) return response;
    isLost = false;
    throw new TypeError('fetch failed');
  };
  const client = createClient({ baseUrl: service.url, fetch: faultyFetch, retries: { maxPauseMs: 5 } });
  const loseNext = () => {
    isLost = true;
  };
  return { ...client, loseNext };
}

test('groups are created, found, listed, changed and deleted', async () => {
  const { groups } = connect();
  const externalId = randomUUID();
  const name = `Client x${externalId.slice(0, 8)}`;
  const group = await groups.create({ name, externalId });
  expect(await groups.get(group.id)).toEqual(group);
  expect(await groups.find({ externalId })).toEqual(group);
  expect(await groups.find({ externalId: 'none' })).toBeNull();
  expect(await Array.fromAsync(groups.list({ search: name, pageSize: 1 }))).toEqual([group]);
  expect((await Array.fromAsync(groups.list({ pageSize: 1 }))).at(-1)).toEqual(group);
  await expect(groups.create({ name, externalId })).rejects.toSatisfy(isTaken);
  const renamed = await groups.update(group, { name: 'Renamed', externalId: null });
  expect(renamed).toMatchObject({ name: 'Renamed', externalId: null, version: 2 });
  await expect(groups.update(group, { name: 'Stale' })).rejects.toSatisfy(isChanged);
  await expect(groups.delete(group)).rejects.toSatisfy(isChanged);
  await groups.delete(renamed);
  await expect(groups.delete(group.id)).rejects.toSatisfy(isNotFound);
  expect(await groups.get(group.id)).toBeNull();
});

test('members are added, changed, listed and removed', async () => {
  const { groups, users } = connect();
  const [{ id: group }, { id: user }] = [await groups.create({ name: 'Acme' }), await users.create(newPerson())];
  const member = { group, user };
  expect(await groups.addMember(member)).toMatchObject({
    id: user,
    version: 2,
    groups: [{ id: group, role: 'member' }],
  });
  await expect(groups.addMember({ ...member, role: 'admin' })).rejects.toMatchObject({ code: 'ALREADY_MEMBER' });
  expect(await groups.updateMember({ ...member, role: 'admin' })).toMatchObject({ groups: [{ role: 'admin' }] });
  expect(await Array.fromAsync(users.list({ filter: { group, role: 'admin' } }))).toMatchObject([{ id: user }]);
  await expect(groups.delete(group)).rejects.toMatchObject({ code: 'GROUP_NOT_EMPTY' });
  expect(await groups.removeMember(member)).toMatchObject({ groups: [] });
  await groups.addMember(member);
  await groups.delete(group, { removeMembers: true });
  await expect(groups.addMember(member)).rejects.toSatisfy(isNotFound);
});

describe('after a lost answer', () => {
  test('each call takes effect once', async () => {
    const { groups, users, loseNext } = connect();
    const externalId = randomUUID();
    const { id: user } = await users.create(newPerson());
    loseNext();
    const created = await groups.create({ name: 'Lost', externalId });
    expect(await groups.find({ externalId })).toEqual(created);
    loseNext();
    const updated = await groups.update(created, { name: ' Found ' });
    expect(updated).toMatchObject({ name: 'Found', externalId, version: 2 });
    const member = { group: created.id, user };
    loseNext();
    expect(await groups.addMember(member)).toMatchObject({ version: 2 });
    loseNext();
    expect(await groups.updateMember({ ...member, role: 'admin' })).toMatchObject({ version: 3 });
    loseNext();
    expect(await groups.removeMember(member)).toMatchObject({ version: 4, groups: [] });
    loseNext();
    await groups.delete(updated);
    expect(await groups.get(created.id)).toBeNull();
  });

  test('an update fails if another client has changed the group', async () => {
    const { groups, loseNext } = connect();
    const group = await groups.create({ name: 'One' });
    loseNext();
    const updating = groups.update(group, { name: 'Two' });
    await updating;
    await groups.update(group.id, { name: 'Three' });
    loseNext();
    await expect(groups.update(group, { name: 'Four' })).rejects.toSatisfy(isChanged);
    expect(await groups.get(group.id)).toMatchObject({ name: 'Three', version: 3 });
  });
});

test('every document is valid', async () => {
  const documents = Object.entries(await import('../../../../lib/client/groups.ts')).filter(([name]) =>
    name.endsWith('Document'),
  );
  expect(documents.length).toBe(9);
  for (const [name, document] of documents) {
    const text = typeof document === 'function' ? String((document as () => unknown)()) : String(document);
    expect([name, validate(schema, parse(text))]).toEqual([name, []]);
  }
});
