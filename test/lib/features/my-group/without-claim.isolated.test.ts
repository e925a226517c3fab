import { expect, test, vi } from 'vitest';

const GROUP_TYPES = /MyGroup|GroupMember|^Member(Connection|Edge)?$/;

/** Loads the schema with the given own fields and claim. */
async function loadNames(fields: string, claim?: string): Promise<string[]> {
  vi.resetModules();
  vi.unstubAllEnvs();
  vi.stubEnv('FIELDS_FILE', `test/setup/${fields}.json`);
  vi.stubEnv('GROUP_CLAIM', claim);
  const { schema } = await import('../../../../lib/graphql/schema/schema.ts');
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return [...Object.keys(schema.getTypeMap()), ...roots.flatMap((type) => Object.keys(type?.getFields() ?? {}))];
}

test.each([
  ['the claim', 'group-admin-fields', undefined],
  ['groups', 'person-fields', 'org_id'],
  ['own records', 'member-fields', 'org_id'],
])('without %s, nothing of myGroup exists', async (_, fields, claim) => {
  expect((await loadNames(fields, claim)).filter((name) => GROUP_TYPES.test(name) || name === 'myGroup')).toEqual([]);
});

test('with all three, myGroup exists, and no subscription', async () => {
  expect(
    (await loadNames('group-admin-fields', 'org_id')).filter((name) => /^myGroup|GroupMember$/.test(name)),
  ).toEqual(['myGroup', 'addMyGroupMember', 'updateMyGroupMember', 'removeMyGroupMember']);
});
