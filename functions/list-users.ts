import { endpoint } from '../lib/rest/endpoint.ts';
import { listUsers } from '../lib/users/list.ts';

export const handler = endpoint('list-users', listUsers);
