import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import type { ConditionFailure } from '../dynamodb/conditional-writes.ts';
import { createIdempotencyRecord } from '../idempotency.ts';
import type { IdempotencyKey } from '../idempotency-key.ts';
import { companions } from './companions.ts';
import type { createUserInput } from './inputs.ts';
import { newUser } from './new-version.ts';
import type { NewVersion, User } from './schema.ts';
import { putNewUser } from './transaction-items.ts';
import { type Companions, writeUser } from './write.ts';

type Input = z.infer<typeof createUserInput>;

/** A repetition is answered as the first request was, and creates nothing. */
export type Created = { user: User; isRepetition: boolean };

/**
 * Throws CONFLICT for a taken email or unique field, IDEMPOTENCY_KEY_REUSED. The id is a UUIDv7, so that ids sort in the
 * order of creation (RFC 9562 section 5.7). A repetition with the same idempotency key returns the first answer.
 * SERVICE_UNAVAILABLE instead of CONFLICT if the value may become free before a late request arrives.
 */
export async function createUser(input: Input, by: Actor, key?: IdempotencyKey): Promise<Created> {
  const outcome = await writeUser<Creation, Created>(
    {
      // The page index relies on ids that are new when they are written.
      plan: async () => () => ({ after: newUser(input, by), by }),
      createItem: ({ after }) => putNewUser(after),
    },
    [...recordRequest(input, by, key), ...companions],
  );
  return 'after' in outcome ? { user: outcome.after, isRepetition: false } : outcome;
}

type Creation = { after: NewVersion; by: Actor };

/** The record comes first: it knows the answer to a repetition, whose claims fail, too. */
function recordRequest(input: Input, by: Actor, key: IdempotencyKey | undefined): Companions<Created>[] {
  if (!key) return [];
  const record = createIdempotencyRecord('createUser', input, key);
  return [
    ({ after }) => {
      const resolve = (failure: ConditionFailure) => ({
        result: { user: newUser(input, by, record.replay(failure)), isRepetition: true },
      });
      return after ? [{ item: record.item(after), resolve }] : [];
    },
  ];
}
