import { endpoint } from '../lib/rest/endpoint.ts';
import { createUserOperation } from '../lib/rest/operations/create-user.ts';
import { createUser } from '../lib/users/create.ts';

export const handler = endpoint(createUserOperation, ({ input, idempotencyKey }, by) =>
  createUser(input, by, idempotencyKey),
);
