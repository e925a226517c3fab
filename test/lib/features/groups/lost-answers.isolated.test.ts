import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, startFaultProxy } from '../../../setup/proxy.ts';
import { newPerson } from '../../../setup/test-data.ts';

process.env.FIELDS_FILE = 'test/setup/member-fields.json';

let faults: Partial<Record<string, Fault[]>> = {};
const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', (operation) =>
  faults[operation]?.shift(),
);
afterAll(() => proxy.stop());

// The client reads the endpoint on import.
process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
const { createUser } = await import('../../../setup/create-user.ts');
const { createGroup, deleteGroup, updateGroup } = await import('../../../../lib/features/groups/write.ts');
const { addMember, listMemberIds, removeMember, updateMember } = await import(
  '../../../../lib/features/groups/members.ts'
);
const { findGroupByExternalId, findStoredGroup } = await import('../../../../lib/features/groups/read.ts');
const { listGroups } = await import('../../../../lib/features/groups/list.ts');

beforeEach(() => {
  faults = {};
});

const lose = (fault: Fault) => {
  faults = { TransactWriteItems: [fault], UpdateItem: [fault] };
};
const findGroups = async (search: string) => (await listGroups({ first: 10, search }, () => {})).groups;

describe.each<[string, Fault]>([
  ['the answer is lost', 'loseAnswer'],
  ['the request is lost', 'loseRequest'],
])('when %s and the SDK retries,', (_, fault) => {
  test('each write of a group succeeds and happens once', async () => {
    const externalId = randomUUID();
    const name = `Lost x${externalId.slice(0, 8)}`;
    lose(fault);
    const group = await createGroup({ name, externalId }, 'ada');
    expect(await findGroups(name)).toEqual([group]);
    lose(fault);
    expect(await updateGroup({ id: group.id, name: `${name}y` }, 'ada')).toMatchObject({ version: 2 });
    lose(fault);
    expect(await updateGroup({ id: group.id, externalId: null, ifVersion: 2 }, 'ada')).toMatchObject({ version: 3 });
    lose(fault);
    expect(await deleteGroup({ id: group.id }, 'ada')).toEqual({ id: group.id });
    expect(faults.TransactWriteItems).toEqual([]);
    expect(await findStoredGroup(group.id)).toBeUndefined();
    expect(await findGroups(name)).toEqual([]);
  });

  test('each change of a membership succeeds and happens once', async () => {
    const { id: groupId } = await createGroup({ name: 'Acme' }, 'ada');
    const { id: userId } = await createUser(newPerson());
    lose(fault);
    expect(await addMember({ groupId, userId, ifVersion: 1 }, 'ada')).toMatchObject({ version: 2 });
    lose(fault);
    expect(await updateMember({ groupId, userId, role: 'admin', ifVersion: 2 }, 'ada')).toMatchObject({ version: 3 });
    expect(await listMemberIds(groupId, 10)).toEqual([userId]);
    lose(fault);
    expect(await removeMember({ groupId, userId, ifVersion: 3 }, 'ada')).toMatchObject({ version: 4 });
    expect(await listMemberIds(groupId, 10)).toEqual([]);
  });
});

describe('when a transaction is resent after its token has expired,', () => {
  const expire = () => {
    faults = { TransactWriteItems: ['expireToken'] };
  };

  test('a creation with a key returns the group, and one without a key fails with SERVICE_UNAVAILABLE', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    expire();
    const key = { key: randomUUID(), caller: 'ada' };
    const group = await createGroup({ name: 'Acme', externalId: first }, 'ada', key);
    expect(await findGroupByExternalId(first)).toMatchObject({ id: group.id, version: 1 });
    expire();
    await expect(createGroup({ name: 'Acme', externalId: second }, 'ada')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await findGroupByExternalId(second)).toMatchObject({ version: 1 });
  });

  test('a change is written once, and a deletion is NOT_FOUND', async () => {
    const { id } = await createGroup({ name: 'Acme' }, 'ada');
    expire();
    expect(await updateGroup({ id, name: 'Globex' }, 'ada')).toMatchObject({ name: 'Globex', version: 2 });
    expire();
    await expect(deleteGroup({ id }, 'ada')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('when a taken external id becomes free before a lost request arrives,', () => {
  test('a creation and a change do not return CONFLICT', async () => {
    const externalId = randomUUID();
    const holder = await createGroup({ name: 'Acme', externalId }, 'ada');
    faults = { TransactWriteItems: ['delay'] };
    await expect(createGroup({ name: 'Globex', externalId }, 'ada')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    const other = await createGroup({ name: 'Initech' }, 'ada');
    faults = { TransactWriteItems: ['delay'] };
    await expect(updateGroup({ id: other.id, externalId }, 'ada')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await deleteGroup({ id: holder.id }, 'ada');
    expect((await proxy.arrive()).toSorted()).toEqual([200, 400]);
  });
});
