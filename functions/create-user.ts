import { endpoint } from '../lib/rest/endpoint.ts';
import { createUser } from '../lib/users/create.ts';

export const handler = endpoint('create-user', ({ input, idempotencyKey }) => createUser(input, idempotencyKey));
