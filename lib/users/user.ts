import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { type Item, type Key, parseUserId } from '../dynamodb/keys.ts';
import { timestamp } from '../environment.ts';
import { isEqualJson } from '../input/json-equality.ts';
import { toUtc } from '../input/time.ts';
import { changeFields, clearAllFields, type MergeOption, type OwnMembers, resolveFields } from './fields/values.ts';
import type { createUserInput, replaceUserInput, updateUserInput } from './input.ts';

/** Times are ISO 8601 in UTC. `version` starts at 1. */
export type User = OwnMembers & {
  id: string;
  name: string;
  email: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  by?: Actor | undefined;
};

/** Stored versions may lack `by`. `merged`: id of the user that a merge adds to this one. Null after its undo. */
export type NewVersion = User & { by: Actor; merged?: string | null };

/**
 * Undefined for a damaged item. Ignores attributes that a later release may add. Avoids zod, to keep `on-change` small.
 */
export function tryParseUser({ pk, name, email, fields, createdAt, updatedAt, version, by }: Item): User | undefined {
  const isValid =
    typeof pk === 'string' && typeof name === 'string' && typeof email === 'string' && typeof version === 'number';
  const [created, updated] = [toUtc(createdAt), toUtc(updatedAt)];
  if (!isValid || created === undefined || updated === undefined) return undefined;
  return {
    id: parseUserId(pk),
    name,
    email,
    ...resolveFields(fields),
    createdAt: created,
    updatedAt: updated,
    version,
    ...(typeof by === 'string' ? { by } : {}),
  };
}

/** A user read from the table: the GSI lacks the keys of the derived items. */
export type StoredUser = {
  user: User;
  /** Keys formatted by `formatDerivedKey`. Empty if the attribute is missing or damaged. */
  derived: readonly string[];
  /** The attribute `derived` exactly as stored, for write conditions. */
  record: unknown;
};

/** A claim or an index entry, in the same transaction as the user. */
export type DerivedItem = {
  key: Key;
  claimOf?: string;
};

export type Derivable = Pick<User, 'id' | 'name' | 'email' | 'fields' | 'own'>;

/** Undefined for a damaged item. */
export function tryParseStoredUser(item: Item): StoredUser | undefined {
  const user = tryParseUser(item);
  if (!user) return undefined;
  const { derived: record } = item;
  const isRecord = Array.isArray(record) && record.every((key) => typeof key === 'string');
  return { user, derived: isRecord ? record : [], record };
}

export function parseStoredUser(item: Item): StoredUser {
  const stored = tryParseStoredUser(item);
  if (!stored) throw new Error(`Invalid user item ${item.pk}`);
  return stored;
}

export const parseUser = (item: Item): User => parseStoredUser(item).user;

/** Returns the members that clients set, in the order of the API. */
export const pickClientMembers = ({ name, email, own }: User) => ({ name, email, ...own });

type Identity = Pick<User, 'id' | 'createdAt'> & Partial<Pick<User, 'updatedAt' | 'version'>>;

const newIdentity = (): Identity => ({ id: uuidv7(), createdAt: timestamp() });

/** Creates a user. For a repeated idempotency key, pass the id and the time of the first request. */
export function newUser(
  input: z.infer<typeof createUserInput>,
  by: Actor,
  { id, createdAt, updatedAt = createdAt, version = 1 }: Identity = newIdentity(),
): NewVersion {
  const { name, email } = input;
  return { id, name, email, ...changeFields({}, input), createdAt, updatedAt, version, by };
}

export type Changes = z.infer<typeof updateUserInput> & MergeOption;

/** Converts a replacement (PUT), which clears the own fields that it omits. */
export const toChanges = (input: z.infer<typeof replaceUserInput>): Changes => ({ ...clearAllFields(), ...input });

/** Returns the user as it is, with its version, if readers would see no other value. */
export function nextVersion(user: User, input: Changes, by: Actor): NewVersion {
  const { name = user.name, email = user.email, mergesJson } = input;
  const changed = { ...user, name, email, ...changeFields(user, input, { mergesJson }) };
  if (hasSameValues(changed, user)) return { ...user, by: user.by ?? by };
  return {
    ...changed,
    updatedAt: timestamp(),
    version: user.version + 1,
    by,
  };
}

export const hasSameValues = (one: User, other: User): boolean =>
  isEqualJson(pickClientMembers(one), pickClientMembers(other));
