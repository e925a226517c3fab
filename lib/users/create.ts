import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod';
import { transact } from '../dynamodb/transactions.ts';
import { emailTaken } from '../errors.ts';
import { type IdempotencyKey, idempotencyRecord } from '../idempotency.ts';
import type { createUserInput, User } from './schema.ts';
import { claimEmail, putNewUser } from './transaction-items.ts';

type Input = z.infer<typeof createUserInput>;

/**
 * Throws CONFLICT for a taken email, IDEMPOTENCY_KEY_REUSED. The id is a UUIDv7, so that ids sort in the order of
 * creation (RFC 9562 section 5.7). A repetition with the same idempotency key returns the first answer.
 */
export async function createUser(input: Input, key?: IdempotencyKey): Promise<User> {
  const user = newUser(input, { id: uuidv7(), createdAt: new Date().toISOString() });
  const record = key && idempotencyRecord('createUser', input, key);
  const { failures } = await transact({
    user: putNewUser(user),
    email: claimEmail(user.email, user.id),
    idempotency: record?.item(user),
  });
  if (!failures) return user;
  if (record && failures.idempotency) return newUser(input, record.readFirst(failures.idempotency));
  throw emailTaken();
}

const newUser = ({ name, email }: Input, { id, createdAt }: Pick<User, 'id' | 'createdAt'>): User => ({
  id,
  name,
  email,
  createdAt,
  updatedAt: createdAt,
  version: 1,
});
