import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { getItems } from '../dynamodb/batch.ts';
import { formatKey, userKey } from '../dynamodb/keys.ts';
import { noUserHas, valueTaken } from '../errors.ts';
import { requireCompleteClaims } from '../features/backfill/complete-lists.ts';
import { type Claim, hasValue, tryParseClaim, type UserKey } from './derived.ts';
import { nameClaims, subjectField, uniqueFields } from './fields/values.ts';
import type { createUserInput } from './input.ts';
import { type Conditions, checkConditions, findStoredUser } from './read.ts';
import { findStoredOwner } from './unique-values.ts';
import {
  type NewVersion,
  newUser,
  nextVersion,
  type StoredUser,
  toChanges,
  tryParseStoredUser,
  type User,
} from './user.ts';
import { checkSubjectKept, type SingleOutcome, writeUser } from './write.ts';

export type Upsert = Conditions & {
  key: UserKey;
  /** Contains the value of the key. */
  input: z.infer<typeof createUserInput>;
  /** Keeps the stored spelling of the key, because the request has none of its own. */
  keepsSpelling?: boolean | undefined;
  /** Keeps the own fields that `input` omits. Default: clears them. */
  keepsOmitted?: boolean | undefined;
  /** Fails unless the user exists. */
  mustExist?: boolean | undefined;
};

export type Upserted = { user: User; outcome: 'created' | 'updated' | 'unchanged' };

/** `owner` is undefined if no user has the value. */
type Found = { owner: StoredUser | undefined };

/**
 * Creates the user with the key, or replaces it. Parallel upserts of one key create one user. Writes nothing if all
 * values are equal. `found` saves the first read.
 *
 * Throws PRECONDITION_FAILED, and CONFLICT for another taken value or a changed subject. Throws SERVICE_UNAVAILABLE if
 * a lost request may still create the user, and while claims of the field may be missing.
 */
export async function upsertUser(upsert: Upsert, by: Actor, found?: Found): Promise<Upserted> {
  const { claim } = upsert.key;
  let known = found;
  let isCreation = false;
  for (;;) {
    const outcome: SingleOutcome = await writeUser({
      async plan(latest) {
        const before = known ? known.owner : (ifOwner(latest, claim) ?? (await findStoredOwner(claim)));
        // The next attempt reads again, unless a failed condition has returned the user.
        known = undefined;
        isCreation = !before;
        if (!before) await checkCreation(upsert);
        return { before, after: before ? replace(before.user, upsert, by) : newUser(upsert.input, by) };
      },
    });
    switch (outcome.kind) {
      case 'written':
      case 'unneeded': {
        const { before, after } = outcome.change ?? {};
        const isChanged = outcome.kind === 'written';
        return { user: after as User, outcome: before ? (isChanged ? 'updated' : 'unchanged') : 'created' }; // `plan` always returns `after`.
      }
      case 'taken': {
        // Another request may have created the user with this key meanwhile.
        if (!isCreation || !hasValue(outcome.owner, claim.key)) throw valueTaken(outcome.field, subjectField?.name);
        const owner = ifOwner(await findStoredUser(outcome.owner.id), claim);
        known = owner && { owner };
        break;
      }
      case 'repeated':
        throw new Error('An upsert has no idempotency key');
    }
  }
}

const ifOwner = (stored: StoredUser | undefined, { key }: Claim): StoredUser | undefined =>
  stored && hasValue(stored.user, key) ? stored : undefined;

async function checkCreation({ key, mustExist }: Upsert): Promise<void> {
  if (mustExist) throw noUserHas(key.field);
  const field = uniqueFields.find(({ name }) => name === key.field);
  if (field) await requireCompleteClaims(nameClaims(field));
}

function replace(user: User, upsert: Upsert, by: Actor): NewVersion {
  const { key, input, keepsSpelling, keepsOmitted, mustExist: _, ...conditions } = upsert;
  checkConditions(user, conditions);
  const stored = key.field === 'email' ? user.email : user.own[key.field];
  const spelled = keepsSpelling ? { ...input, [key.field]: stored } : input;
  const changes = { id: user.id, ...spelled };
  checkSubjectKept(user, changes);
  return nextVersion(user, keepsOmitted ? changes : toChanges(changes), by);
}

/** Reads users by their keys, with two batches of reads. Undefined for a damaged item: `upsertUser` reports it. */
export async function findOwners(keys: readonly UserKey[]): Promise<(Found | undefined)[]> {
  const options = { ConsistentRead: true };
  const claimItems = await getItems(
    keys.map(({ claim }) => claim.key),
    options,
  );
  const claims = new Map(claimItems.map((item) => [formatKey(item), tryParseClaim(item)]));
  const userItems = await getItems(
    [...claims.values()].flatMap((stored) => (stored ? [userKey(stored.userId)] : [])),
    options,
  );
  const users = new Map(userItems.map((item) => [formatKey(item), tryParseStoredUser(item)]));
  return keys.map(({ claim }) => {
    const name = formatKey(claim.key);
    if (!claims.has(name)) return { owner: undefined };
    const stored = claims.get(name);
    if (!stored) return undefined;
    const owner = formatKey(userKey(stored.userId));
    if (!users.has(owner)) return { owner: undefined };
    const user = users.get(owner);
    return user && { owner: ifOwner(user, claim) };
  });
}
