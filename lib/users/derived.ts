import { Buffer } from 'node:buffer';
import { emailKey, formatKey, type Item, isEmailKey, isUniqueKey, type Key, uniqueKey } from '../dynamodb/keys.ts';
import { listListEntries } from '../features/filters/entries.ts';
import { isListKey } from '../features/filters/keys.ts';
import { isSearchKey, listSearchEntries } from '../features/search/entries.ts';
import { canonicalText, dropIgnorable } from '../input/text.ts';
import { canonicalEmail } from './email.ts';
import { type FieldValue, MAX_LENGTH, MAX_UNIQUE_BYTES, type OwnField } from './fields/declaration.ts';
import { listItems, nameClaims, type OwnMembers, subjectField, uniqueFields } from './fields/values.ts';
import type { Derivable, DerivedItem, StoredUser, User } from './user.ts';

/** Makes a value unique, because the value is the item's key. */
export type Claim = DerivedItem & { claimOf: string };

/** Functions that list derived items. Each needs a counter in derived-keys.ts. */
const sources: readonly ((user: Derivable) => DerivedItem[])[] = [listClaims, listSearchEntries, listListEntries];

export const deriveItems = (user: Derivable): DerivedItem[] => sources.flatMap((list) => list(user));

export const createEmailClaim = (email: string): Claim => ({
  claimOf: 'email',
  key: emailKey(canonicalEmail(email)),
});

/** Lists a user's claims. The subject is first, because the error names the first claim that fails. */
export function listClaims(user: Pick<User, 'email' | 'own'>): Claim[] {
  return [...createSubjectClaims(user), createEmailClaim(user.email), ...listFieldClaims(user)];
}

export const createSubjectClaims = ({ own }: Pick<OwnMembers, 'own'>): Claim[] =>
  subjectField ? createClaims(subjectField, own[subjectField.name]) : [];

const listFieldClaims = ({ own }: Pick<OwnMembers, 'own'>): Claim[] =>
  uniqueFields.flatMap((field) => (field.subject ? [] : createClaims(field, own[field.name])));

/** Lists claims of the stored values under other declarations, for example of an earlier release. */
function listPossibleClaims(
  { email, fields = {} }: Pick<User, 'email' | 'fields'>,
  formerFields: readonly string[],
): Claim[] {
  const declarations = Object.keys(fields)
    .flatMap((name) => [{ name }, { name, unique: 'exact' as const }])
    .filter((field) => !formerFields.includes(nameClaims(field)));
  const claims = declarations.flatMap((field) => {
    // Stored values are JSON.
    const items = listItems(fields[field.name] as FieldValue | undefined);
    return items.flatMap((item) =>
      typeof item === 'string' || typeof item === 'number' ? (createClaim(field, item) ?? []) : [],
    );
  });
  return [createEmailClaim(email), ...claims];
}

/** Only a list of subjects has several claims. */
const createClaims = (field: OwnField, value: FieldValue | undefined): Claim[] =>
  [...new Set(listItems(value))].flatMap((item) => createClaim(field, item) ?? []);

/**
 * Creates the claim of a value. Ignores invisible characters, and case unless the field is exact. Undefined for values
 * that no user can have: too long, invisible, or malformed Unicode.
 */
export function createClaim(
  field: Pick<OwnField, 'name' | 'unique'>,
  value: FieldValue | undefined,
): Claim | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  // Check the length first: normalizing n combining marks takes O(n²).
  if ([...text].length > MAX_LENGTH || !text.isWellFormed()) return undefined;
  const canonical = field.unique === 'exact' ? dropIgnorable(text) : canonicalText(text);
  return canonical === '' || Buffer.byteLength(canonical) > MAX_UNIQUE_BYTES
    ? undefined
    : { claimOf: field.name, key: uniqueKey(nameClaims(field), canonical) };
}

/** A value that names one user, who may not exist yet. */
export type UserKey = { field: string; claim: Claim };

/** Undefined for values that no user can have. */
export function createUserKey(field: string, value: FieldValue | undefined): UserKey | undefined {
  const declared = uniqueFields.find(({ name }) => name === field);
  const claim = declared ? createClaim(declared, value) : createEmailClaim(String(value));
  return claim && { field, claim };
}

/** The same text for all spellings of a value. */
export const formatUserKey = ({ claim }: UserKey): string => formatKey(claim.key);

export const isClaimKey = (key: Key): boolean => isEmailKey(key) || isUniqueKey(key);

export const isEntryKey = (key: Key): boolean => isSearchKey(key) || isListKey(key);

const ID_LENGTH = 36;

export const parseEntryUserId = (sk: string): string => sk.slice(-ID_LENGTH);

/** `version` is the user's version at the write, which distinguishes a later claim of the same user. */
export type StoredClaim = { userId: string; version: number };

/** Avoids zod, which functions without request bodies do not load. */
export function tryParseClaim({ userId, version = 0 }: Item): StoredClaim | undefined {
  return typeof userId === 'string' && userId && typeof version === 'number' ? { userId, version } : undefined;
}

/**
 * Throws for a damaged claim, because another user may own the value. Omits the partition key, which contains the
 * value, because messages are logged.
 */
export function parseClaim(item: Item): StoredClaim {
  const claim = tryParseClaim(item);
  if (claim) return claim;
  const issue = item.userId ? 'version is not a number' : 'userId is missing';
  throw new Error(`Invalid ${item.sk} claim: ${issue}; run check-table --repair`);
}

/**
 * Formats a key for the attribute `derived`. To save space, omits a claim's sort key, and the user id at the end of an
 * entry's sort key.
 */
export const formatDerivedKey = ({ pk, sk }: Key, userId: string): string =>
  isClaimKey({ pk, sk }) ? pk : `${pk}${SEPARATOR}${sk.slice(0, -userId.length)}`;

/** Separates the parts of a formatted key, because no partition key contains a tab. */
const SEPARATOR = '\t';

export function parseDerivedKey(text: string, userId: string): Key {
  if (isEmailKey({ pk: text, sk: '' })) return { pk: text, sk: 'EMAIL' };
  if (isUniqueKey({ pk: text, sk: '' })) return { pk: text, sk: 'UNIQUE' };
  const at = text.indexOf(SEPARATOR);
  return { pk: text.slice(0, at), sk: `${text.slice(at + 1)}${userId}` };
}

type DerivedChange = {
  puts: DerivedItem[];
  deletes: Key[];
  derived: string[];
};

type CompareOptions = {
  /** Formatted keys that the write does not put, delete or record. */
  skipped?: ReadonlySet<string>;
  /** Deletes claims of fields that are no longer unique, even if the user still has the value. */
  formerFields?: readonly string[];
};

/**
 * Compares the recorded items with the items that the user needs. Keeps the claim of an unchanged value even if its
 * field is not unique in this release: during a deploy, the other release may declare the field unique.
 */
export function compareDerived(
  recorded: readonly string[],
  after: Derivable | undefined,
  id: string,
  { skipped = new Set(), formerFields = [] }: CompareOptions = {},
): DerivedChange {
  const wanted = new Map((after ? deriveItems(after) : []).map((item) => [formatDerivedKey(item.key, id), item]));
  const possibleClaims = (after ? listPossibleClaims(after, formerFields) : []).map(({ key }) =>
    formatDerivedKey(key, id),
  );
  const considered = recorded.filter((text) => !skipped.has(text));
  const kept = considered.filter((text) => wanted.has(text) || possibleClaims.includes(text));
  const deleted = considered.filter((text) => !kept.includes(text));
  const added = [...wanted].filter(([text]) => !recorded.includes(text) && !skipped.has(text));
  return {
    puts: added.map(([, item]) => item),
    deletes: deleted.map((text) => parseDerivedKey(text, id)),
    derived: [...kept, ...added.map(([text]) => text)],
  };
}

export function hasExpectedKeys({ user, derived }: StoredUser, formerFields: readonly string[] = []): boolean {
  const { puts, deletes } = compareDerived(derived, user, user.id, { formerFields });
  return puts.length === 0 && deletes.length === 0;
}

/**
 * True if the user has the claim or its value: users written by other code may lack `derived`, and must keep their
 * unique values.
 */
export const ownsClaim = ({ user, derived }: StoredUser, key: Key): boolean =>
  derived.includes(formatDerivedKey(key, user.id)) || hasValue(user, key);

/** True if the user has the value of this claim, with or without the claim. */
export const hasValue = (user: Pick<User, 'email' | 'own'>, { pk }: Key): boolean =>
  listClaims(user).some(({ key }) => key.pk === pk);
