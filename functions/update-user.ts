import { omitDeletedGroupsOf } from '../lib/features/groups/memberships.ts';
import { endpoint } from '../lib/rest/endpoint.ts';
import { updateUserOperation } from '../lib/rest/operations/update-user.ts';
import { updateUser } from '../lib/users/write.ts';

export const handler = endpoint(updateUserOperation, async (request, by) =>
  omitDeletedGroupsOf(await updateUser(request, by)),
);
