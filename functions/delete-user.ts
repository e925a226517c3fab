import { endpoint } from '../lib/rest/endpoint.ts';
import { deleteUser } from '../lib/users/delete.ts';

export const handler = endpoint('delete-user', async ({ id, ifVersion }) => void (await deleteUser({ id, ifVersion })));
