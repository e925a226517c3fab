import { Buffer } from 'node:buffer';
import { emailKey, type Item, isEmailKey, isUniqueKey, type Key, uniqueKey } from '../dynamodb/keys.ts';
import { listListEntries } from '../features/filters/entries.ts';
import { isListKey } from '../features/filters/keys.ts';
import { isSearchKey, listSearchEntries } from '../features/search/entries.ts';
import { canonicalText } from '../input/text.ts';
import { canonicalEmail } from './email.ts';
import { type FieldValue, MAX_LENGTH, MAX_UNIQUE_BYTES, type OwnField } from './fields/declaration.ts';
import { nameClaims, type OwnMembers, subjectField, uniqueFields } from './fields/values.ts';
import type { StoredUser, User } from './user.ts';

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
const sources: readonly ((user: Derivable) => DerivedItem[])[] = [listClaims, listSearchEntries, listListEntries];

export const deriveItems = (user: Derivable): DerivedItem[] => sources.flatMap((list) => list(user));

export const createEmailClaim = (email: string): Claim => ({
  claimOf: 'email',
  key: emailKey(canonicalEmail(email)),
});

/** The claims of a user's values under the current declarations. A write that fails on several names the first one. */
export function listClaims(user: Pick<User, 'email' | 'own'>): Claim[] {
  const subject = subjectField && createClaim(subjectField, user.own[subjectField.name]);
  return [...(subject ? [subject] : []), createEmailClaim(user.email), ...listFieldClaims(user)];
}

/** Each value of a unique field is claimed, so that only one user has it. */
const listFieldClaims = ({ own }: Pick<OwnMembers, 'own'>): Claim[] =>
  uniqueFields.flatMap((field) => (field.subject ? [] : (createClaim(field, own[field.name]) ?? [])));

/**
 * The claims that any declaration of the fields could make of a user's stored values: a field may have been unique once, or in
 * another way, or may not be declared any more. `formerFields` are not unique in the way that their name says.
 */
function listPossibleClaims(
  { email, fields = {} }: Pick<User, 'email' | 'fields'>,
  formerFields: readonly string[],
): Claim[] {
  const declarations = Object.keys(fields)
    .flatMap((name) => [{ name }, { name, unique: 'exact' as const }])
    .filter((field) => !formerFields.includes(nameClaims(field)));
  const claims = declarations.flatMap((field) => {
    const value = fields[field.name];
    return typeof value === 'string' || typeof value === 'number' ? (createClaim(field, value) ?? []) : [];
  });
  return [createEmailClaim(email), ...claims];
}

/**
 * Texts are unique in any case, unless the field is exact. Returns undefined for what nobody can have: a longer text, one that is
 * not Unicode, or none.
 */
export function createClaim(
  field: Pick<OwnField, 'name' | 'unique'>,
  value: FieldValue | undefined,
): Claim | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  // The characters are counted first: to normalize combining marks takes the square of their number.
  if ([...text].length > MAX_LENGTH || !text.isWellFormed()) return undefined;
  const canonical = field.unique === 'exact' ? text : canonicalText(text);
  return Buffer.byteLength(canonical) > MAX_UNIQUE_BYTES
    ? undefined
    : { claimOf: field.name, key: uniqueKey(nameClaims(field), canonical) };
}

export const isClaimKey = (key: Key): boolean => isEmailKey(key) || isUniqueKey(key);

/** True for search entries and list entries. */
export const isEntryKey = (key: Key): boolean => isSearchKey(key) || isListKey(key);

const ID_LENGTH = 36;

/** The sort key of an index entry ends with the id of its user. */
export const parseEntryUserId = (sk: string): string => sk.slice(-ID_LENGTH);

/** The content of a claim item. `version` is the version of the user that wrote it, so that two claims always differ. */
export type StoredClaim = { userId: string; version: number };

/** Returns undefined for a damaged item. Without zod, because functions that read no body load this file. */
export function readClaim({ userId, version = 0 }: Item): StoredClaim | undefined {
  return typeof userId === 'string' && userId && typeof version === 'number' ? { userId, version } : undefined;
}

/** Throws an error for a damaged claim: another user may own the value. */
export function parseClaim(item: Item): StoredClaim {
  const claim = readClaim(item);
  if (claim) return claim;
  throw new Error(`Invalid claim item ${item.pk}: ${item.userId ? 'version is not a number' : 'userId is missing'}`);
}

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
  /** Fields that are unique no longer, or no longer in this way, as `nameClaims` names them: their claims are deleted even if the user has the value. */
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
  const possible = after ? listPossibleClaims(after, formerFields) : [];
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
