import { omitDeletedGroupsOf } from '../lib/features/groups/memberships.ts';
import { endpoint } from '../lib/rest/endpoint.ts';
import { getUserOperation } from '../lib/rest/operations/get-user.ts';
import { getUser } from '../lib/users/read.ts';

export const handler = endpoint(getUserOperation, async (request) => omitDeletedGroupsOf(await getUser(request)));
