import { endpoint } from '../lib/rest/endpoint.ts';
import { deleteUser } from '../lib/users/delete.ts';

export const handler = endpoint('delete-user', deleteUser);
