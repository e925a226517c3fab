import { endpoint } from '../lib/rest/endpoint.ts';
import { createUserOperation } from '../lib/rest/operations/create-user.ts';
import { createUser } from '../lib/users/write.ts';

export const handler = endpoint(createUserOperation, ({ input, idempotencyKey }, by) =>
  createUser(input, by, idempotencyKey),
);
