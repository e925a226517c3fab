import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { AGAIN, retryOnConflict } from '../dynamodb/retry.ts';
import { transact } from '../dynamodb/transactions.ts';
import { timestamp } from '../environment.ts';
import { concurrentChanges, unavailable } from '../errors.ts';
import { changeValues, pickOwnFields } from '../features/own-fields/inputs.ts';
import { WRITE_ATTEMPT_MS } from '../features/page-index/timing.ts';
import { createIdempotencyRecord } from '../idempotency.ts';
import type { IdempotencyKey } from '../idempotency-key.ts';
import { ClaimChanges } from './claims.ts';
import type { createUserInput } from './inputs.ts';
import type { NewVersion, User } from './schema.ts';
import { putNewUser } from './transaction-items.ts';

type Input = z.infer<typeof createUserInput>;

/** A repetition is answered as the first request was, and creates nothing. */
export type Created = { user: User; isRepetition: boolean };

/**
 * Throws CONFLICT for a taken email or unique field, IDEMPOTENCY_KEY_REUSED. The id is a UUIDv7, so that ids sort in the
 * order of creation (RFC 9562 section 5.7). A repetition with the same idempotency key returns the first answer.
 * SERVICE_UNAVAILABLE instead of CONFLICT if the value may become free before a late request arrives.
 */
export function createUser(input: Input, by: Actor, key?: IdempotencyKey): Promise<Created> {
  const record = key && createIdempotencyRecord('createUser', input, key);
  const claims = new ClaimChanges();
  return retryOnConflict(async () => {
    let user = newUser(input, by);
    const items = () => {
      user = newUser(input, by);
      return { ...claims.createItems(undefined, user), user: putNewUser(user), idempotency: record?.item(user) };
    };
    // The page index relies on ids that are new when they are written.
    const { failures, outcomeUnknown } = await transact(items, { attemptMs: WRITE_ATTEMPT_MS });
    if (!failures) return { user, isRepetition: false };
    if (record && failures.idempotency)
      return { user: newUser(input, by, record.replay(failures.idempotency)), isRepetition: true };
    if (outcomeUnknown || !(await claims.resolve(failures, undefined, user))) throw unavailable();
    return AGAIN;
  }, concurrentChanges);
}

const newIdentity = () => ({ id: uuidv7(), createdAt: timestamp() });

type Identity = Pick<User, 'id' | 'createdAt'>;

function newUser(input: Input, by: Actor, { id, createdAt }: Identity = newIdentity()): NewVersion {
  const { name, email } = input;
  const fields = changeValues(undefined, pickOwnFields(input));
  return { id, name, email, ...(fields ? { fields } : {}), createdAt, updatedAt: createdAt, version: 1, by };
}
