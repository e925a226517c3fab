import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod/mini';
import { transact } from '../dynamodb/transactions.ts';
import { timestamp } from '../environment.ts';
import { emailTaken, unavailable } from '../errors.ts';
import { createIdempotencyRecord, type IdempotencyKey } from '../idempotency.ts';
import type { createUserInput } from './inputs.ts';
import { WRITE_ATTEMPT_MS } from './page-index/timing.ts';
import type { User } from './schema.ts';
import { claimEmail, putNewUser } from './transaction-items.ts';

type Input = z.infer<typeof createUserInput>;

/**
 * Throws CONFLICT for a taken email, IDEMPOTENCY_KEY_REUSED. The id is a UUIDv7, so that ids sort in the order of
 * creation (RFC 9562 section 5.7). A repetition with the same idempotency key returns the first answer.
 * SERVICE_UNAVAILABLE instead of CONFLICT if the address may become free before a late request arrives.
 */
export async function createUser(input: Input, key?: IdempotencyKey): Promise<User> {
  let user = newUser(input);
  const record = key && createIdempotencyRecord('createUser', input, key);
  const items = () => {
    user = newUser(input);
    return { user: putNewUser(user), email: claimEmail(user.email, user.id), idempotency: record?.item(user) };
  };
  // The page index relies on ids that are new when they are written.
  const { failures, outcomeUnknown } = await transact(items, { attemptMs: WRITE_ATTEMPT_MS });
  if (!failures) return user;
  if (record && failures.idempotency) return newUser(input, record.replay(failures.idempotency));
  throw outcomeUnknown ? unavailable() : emailTaken();
}

const newIdentity = () => ({ id: uuidv7(), createdAt: timestamp() });

const newUser = ({ name, email }: Input, { id, createdAt }: Pick<User, 'id' | 'createdAt'> = newIdentity()): User => ({
  id,
  name,
  email,
  createdAt,
  updatedAt: createdAt,
  version: 1,
});
