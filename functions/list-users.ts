import { endpoint } from '../lib/rest/endpoint.ts';
import { listUsersOperation } from '../lib/rest/operations/list-users.ts';
import { listUsers } from '../lib/users/list.ts';

export const handler = endpoint(listUsersOperation, (query) => listUsers(query));
