import { endpoint } from '../lib/rest/endpoint.ts';
import { updateUser } from '../lib/users/update.ts';

export const handler = endpoint('replace-user', updateUser);
