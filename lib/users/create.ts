import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod';
import { emailTaken } from '../errors.ts';
import { type IdempotencyKey, idempotencyRecord } from '../idempotency.ts';
import { transact } from '../dynamodb/table.ts';
import type { createUserInput, User } from './schema.ts';
import { claimEmail, putNewUser } from './transaction-items.ts';

/**
 * Throws `taken`, `key-reused`. The id is a UUIDv7, so that ids sort in the order of creation (RFC 9562 section 5.7).
 * With a retry key, the first answer is given again to whoever repeats the request.
 */
export async function createUser(input: z.infer<typeof createUserInput>, retry?: IdempotencyKey): Promise<User> {
  const user = newUser(input, uuidv7(), new Date());
  const request = idempotencyRecord('createUser', input, retry);
  const { failures } = await transact([putNewUser(user), claimEmail(user.email, user.id), ...request.record(user)]);
  if (!failures) return user;
  const first = request.first(failures[2]);
  if (first) return newUser(input, first.id, new Date(first.createdAt));
  throw emailTaken();
}

function newUser({ name, email }: z.infer<typeof createUserInput>, id: string, at: Date): User {
  const now = at.toISOString();
  return { id, name, email, createdAt: now, updatedAt: now, version: 1 };
}
