import { endpoint } from '../lib/rest/endpoint.ts';
import { deleteUserOperation } from '../lib/rest/operations/delete-user.ts';
import { deleteUser } from '../lib/users/delete.ts';

export const handler = endpoint(deleteUserOperation, deleteUser);
