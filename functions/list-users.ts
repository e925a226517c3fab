import { omitDeletedGroups } from '../lib/features/groups/memberships.ts';
import { endpoint } from '../lib/rest/endpoint.ts';
import { listUsersOperation } from '../lib/rest/operations/list-users.ts';
import { listUsers } from '../lib/users/list.ts';

export const handler = endpoint(listUsersOperation, async (query) => {
  const page = await listUsers(query);
  return { ...page, users: await omitDeletedGroups(page.users) };
});
