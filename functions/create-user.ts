import { endpoint } from '../lib/rest/endpoint.ts';
import { createUserOperation } from '../lib/rest/operations/create-user.ts';
import { createUserOnce } from '../lib/users/create.ts';

export const handler = endpoint(createUserOperation, ({ input, idempotencyKey }) =>
  createUserOnce(input, idempotencyKey),
);
