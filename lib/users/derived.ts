import { emailKey, isEmailKey, type Key } from '../dynamodb/keys.ts';
import { listFieldClaims, listPossibleFieldClaims } from '../features/own-fields/claims.ts';
import { isUniqueKey } from '../features/own-fields/keys.ts';
import { listSearchEntries } from '../features/search/entries.ts';
import { canonicalEmail } from './email.ts';
import type { StoredUser, User } from './schema.ts';

/** An item that exists because of a user's values. The user's own transaction writes it. */
export type DerivedItem = {
  key: Key;
  /** Set for a claim: only one user may have this value of the field. */
  claimOf?: string;
};

/** A claim makes a value unique: its key is the value, so the table holds it once. */
export type Claim = DerivedItem & { claimOf: string };

/** The values that items are derived from. */
export type Derivable = Pick<User, 'id' | 'name' | 'email' | 'fields' | 'own'>;

/** Features add functions that derive items from a user. Each has an entry in derived-keys.ts, which counts its keys. */
const sources: readonly ((user: Derivable) => DerivedItem[])[] = [listClaims, listSearchEntries];

export const deriveItems = (user: Derivable): DerivedItem[] => sources.flatMap((list) => list(user));

export const createEmailClaim = (email: string): Claim => ({
  claimOf: 'email',
  key: emailKey(canonicalEmail(email)),
});

/** The claims of a user's values under the current declarations. */
export function listClaims(user: Pick<User, 'email' | 'own'>): Claim[] {
  return [createEmailClaim(user.email), ...listFieldClaims(user)];
}

/** The claims that any declaration of the fields could make of a user's stored values. */
const listPossibleClaims = (user: Pick<User, 'email' | 'fields'>): Claim[] => [
  createEmailClaim(user.email),
  ...listPossibleFieldClaims(user),
];

export const isClaimKey = (key: Key): boolean => isEmailKey(key) || isUniqueKey(key);

/**
 * Formats a key for the record of derived keys. A claim is its partition key. The sort key of an index entry ends with the
 * user's id, which the record omits.
 */
export const formatDerivedKey = ({ pk, sk }: Key, userId: string): string =>
  isClaimKey({ pk, sk }) ? pk : `${pk}${SEPARATOR}${sk.slice(0, -userId.length)}`;

/** Index entries contain no tab before this one. */
const SEPARATOR = '\t';

export function parseDerivedKey(text: string, userId: string): Key {
  if (isEmailKey({ pk: text, sk: '' })) return { pk: text, sk: 'EMAIL' };
  if (isUniqueKey({ pk: text, sk: '' })) return { pk: text, sk: 'UNIQUE' };
  const at = text.indexOf(SEPARATOR);
  return { pk: text.slice(0, at), sk: `${text.slice(at + 1)}${userId}` };
}

/** What a write changes in the items derived from a user. */
export type DerivedChange = {
  puts: DerivedItem[];
  deletes: Key[];
  /** The record of the new version. */
  derived: string[];
};

type CompareOptions = {
  /** Keys, as formatted, that the write neither puts nor deletes nor records. */
  skipped?: ReadonlySet<string>;
  /** Fields that are unique no longer: their claims are deleted even if the user has the value. */
  formerFields?: readonly string[];
};

/**
 * Compares the recorded keys of a user with the keys of the next version. Keeps a recorded claim whose value the user
 * still has, even if its field is not declared unique here: another release of the service may declare it.
 */
export function compareDerived(
  recorded: readonly string[],
  after: Derivable | undefined,
  id: string,
  { skipped = new Set(), formerFields = [] }: CompareOptions = {},
): DerivedChange {
  const wanted = new Map((after ? deriveItems(after) : []).map((item) => [formatDerivedKey(item.key, id), item]));
  const possible = (after ? listPossibleClaims(after) : []).filter(({ claimOf }) => !formerFields.includes(claimOf));
  const kept = new Set(possible.map(({ key }) => formatDerivedKey(key, id)));
  const isLeft = (text: string) => (wanted.has(text) || kept.has(text)) && !skipped.has(text);
  const deleted = recorded.filter((text) => !wanted.has(text) && !kept.has(text) && !skipped.has(text));
  const added = [...wanted.keys()].filter((text) => !recorded.includes(text) && !skipped.has(text));
  return {
    puts: added.map((text) => wanted.get(text) as DerivedItem), // It is one of the map's keys.
    deletes: deleted.map((text) => parseDerivedKey(text, id)),
    derived: [...recorded.filter(isLeft), ...added],
  };
}

/** True if the record names exactly the keys that the user must have. */
export function hasExpectedKeys({ user, derived }: StoredUser, formerFields: readonly string[] = []): boolean {
  const { puts, deletes } = compareDerived(derived, user, user.id, { formerFields });
  return puts.length === 0 && deletes.length === 0;
}

/** A user owns a value if the record lists its claim, or if the user has the value: other code may write users without a record. */
export const ownsClaim = ({ user, derived }: StoredUser, key: Key): boolean =>
  derived.includes(formatDerivedKey(key, user.id)) || listClaims(user).some((claim) => claim.key.pk === key.pk);
