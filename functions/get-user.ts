import { endpoint } from '../lib/rest/endpoint.ts';
import { getUser } from '../lib/users/get.ts';

export const handler = endpoint('get-user', getUser);
