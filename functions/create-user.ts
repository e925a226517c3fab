import { omitDeletedGroupsOf } from '../lib/features/groups/memberships.ts';
import { endpoint } from '../lib/rest/endpoint.ts';
import { createUserOperation } from '../lib/rest/operations/create-user.ts';
import { createUser } from '../lib/users/write.ts';

export const handler = endpoint(createUserOperation, async ({ input, idempotencyKey }, by) => {
  const created = await createUser(input, by, idempotencyKey);
  return { ...created, user: await omitDeletedGroupsOf(created.user) };
});
