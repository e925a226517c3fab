import { expect, test, vi } from 'vitest';
import { schema } from '../../../../lib/graphql/schema/schema.ts';
import { createUser, execute, getErrorCode } from '../../graphql/client.ts';
import { findUncharged } from '../../graphql/find-uncharged.ts';
import { createGroup, mutate } from './client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

test('every resolver that sends a request to the table charges the budget', async () => {
  const { id, externalId } = await createGroup({ externalId: 'org_budget' });
  const [{ id: groupId }, { id: member }] = [await createGroup(), await createUser()];
  await mutate('addMember', { groupId: id, userId: member });
  const other = (await createUser()).id;
  const examples = {
    group: { id },
    groupByExternalId: { externalId },
    groups: { search: 'Acme' },
    createGroup: { input: { name: 'New' } },
    updateGroup: { input: { id, name: 'Acme Ltd' } },
    deleteGroup: { input: { id: (await createGroup()).id } },
    addMember: { input: { groupId, userId: other } },
    updateMember: { input: { groupId: id, userId: member, role: 'admin' } },
    removeMember: { input: { groupId: id, userId: member } },
    restoreUser: {},
  };
  expect(await findUncharged(schema, examples)).toEqual([]);
});

test('lists of members are limited by the items that they read', async () => {
  const { id } = await createGroup();
  const document = `{ group(id: "${id}") { ${Array.from({ length: 15 }, (_, at) => `m${at}: members(first: 100, filter: { createdAfter: "2026-01-01T00:00:00Z", plan: ["x"] }, role: "admin") { totalCount nodes { id } }`).join(' ')} } }`;
  expect(getErrorCode(await execute(document))).toBe('BAD_USER_INPUT');
});
