import { endpoint } from '../lib/rest/endpoint.ts';
import { getUserOperation } from '../lib/rest/operations/get-user.ts';
import { getUser } from '../lib/users/read.ts';

export const handler = endpoint(getUserOperation, getUser);
