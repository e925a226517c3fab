import { findJsonIssues, isExactNumber } from '../../../lib/input/exact-json.ts';
import { isEqualJson } from '../../../lib/input/json-equality.ts';
import { type FieldValue, MAX_SUBJECTS, type OwnField, type Scalar } from '../../../lib/users/fields/declaration.ts';
import { formatTime } from './format.ts';
import { createStore } from './store.ts';

export const ownFields = createStore<readonly OwnField[]>([]);

/** GraphQL returns null for a missing value. */
export type Value = FieldValue | null;

export const findField = (name: string): OwnField | undefined => ownFields.get().find((field) => field.name === name);

export type Membership = { id: string; role: string };

/** Undefined without the setting `groups`. */
export const findMembershipField = (): OwnField | undefined =>
  ownFields.get().find(({ type }) => type === 'membership');

export const listRoles = (): readonly string[] => findMembershipField()?.roles ?? [];

export const readMemberships = (value: Value | undefined): Membership[] =>
  Array.isArray(value) ? (value as Membership[]) : []; // The API returns no other items.

/** Names by id, which `useGroupNames` reads. Null for deleted groups. */
export const groupNames = createStore<ReadonlyMap<string, string | null>>(new Map());

/** Returns the id of a deleted group. */
export function nameGroup(id: string): string {
  const name = groupNames.get().get(id);
  return name === undefined ? '…' : (name ?? id);
}

export const listFieldNames = (): string[] => ownFields.get().map(({ name }) => name);

export const listMembers = (): string[] => ['name', 'email', ...listFieldNames()];

/** `memberNumber` becomes "Member number". */
export const labelMember = (name: string): string => {
  const label = findField(name)?.label;
  if (label) return label;
  const words = name.replaceAll('_', ' ').replace(/([a-z\d])([A-Z])/g, '$1 $2');
  const lower = words.replace(/\b[A-Z](?![A-Z])/g, (letter) => letter.toLowerCase());
  return lower.charAt(0).toUpperCase() + lower.slice(1);
};

const SELF = {
  hidden: 'Hidden from the person.',
  read: 'The person can see it.',
  write: 'The person can change it.',
};

export const describeField = ({ description, deprecated, subject, list, self }: OwnField): string | undefined =>
  [
    description,
    deprecated,
    subject &&
      (list ? 'Links the record to sign-ins. One of them stays.' : 'Links the record to a sign-in. It is set once.'),
    self && SELF[self],
  ]
    .filter(Boolean)
    .join(' ') || undefined;

export type FieldGroup = { heading: string | undefined; fields: OwnField[] };

/** Ungrouped fields come first, deprecated ones last. Excludes the last sign-in, which only sign-ins set. */
export function groupFields(): FieldGroup[] {
  const fields = ownFields
    .get()
    .filter(({ signIn }) => !signIn)
    .toSorted((one, other) => Number(!!one.deprecated) - Number(!!other.deprecated));
  const groups = Map.groupBy(fields, ({ group }) => group);
  const headings = new Set([undefined, ...groups.keys()]);
  return [...headings].flatMap((heading) => {
    const members = groups.get(heading);
    return members ? [{ heading, fields: members }] : [];
  });
}

export const isSameValue = (one: Value | undefined, other: Value | undefined): boolean =>
  isEqualJson(one ?? null, other ?? null);

/** A user keeps at least one former subject, and a required field cannot be cleared. */
export function canReplace(name: string, current: Value | undefined, value: Value | undefined): boolean {
  const field = findField(name);
  if (field?.subject && !isSameValue(current, null))
    return listLogins(current).some((each) => listLogins(value).includes(each));
  return !(field?.required && isSameValue(value, null));
}

export const listLogins = (value: Value | undefined): Value[] => [value ?? []].flat();

/**
 * Returns the logins or the groups of both users, which a merge joins, and whether one user can have them. In a group of
 * both, the role of the kept user stays. Undefined for other fields.
 */
export function joinLists(name: string, kept: Value | undefined, removed: Value | undefined) {
  const { type, subject, list, maxItems = MAX_SUBJECTS } = findField(name) ?? {};
  if (type !== 'membership' && !(subject && list)) return undefined;
  const joined =
    type === 'membership' ? joinMemberships(kept, removed) : [...new Set([kept, removed].flatMap(listLogins))];
  return { value: joined as Value, isTooLong: joined.length > maxItems }; // Joins two lists of values.
}

function joinMemberships(kept: Value | undefined, removed: Value | undefined): Membership[] {
  const own = readMemberships(kept);
  return [...own, ...readMemberships(removed).filter(({ id }) => !own.some((each) => each.id === id))];
}

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** Keeps invalid dates: the field may have had another type, or a person is typing. */
const formatIfDate = (value: string | number | boolean, format: (date: Date) => string): string => {
  const date = new Date(String(value));
  return Number.isNaN(date.getTime()) ? String(value) : format(date);
};

export function formatValue(field: OwnField | undefined, value: Value | undefined): string {
  if (value === undefined || value === null) return '';
  if (field?.type === 'membership')
    return readMemberships(value)
      .map(({ id, role }) => `${nameGroup(id)} (${role})`)
      .join(', ');
  if (field?.type === 'json') return findInvalidJson(value) ?? JSON.stringify(value);
  if (Array.isArray(value)) return value.map((item) => formatValue(field, item)).join(', ');
  // The value was stored when the field had another type.
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (field?.type === 'date') return formatIfDate(value, (date) => day.format(date));
  if (field?.type === 'dateTime') return formatIfDate(value, formatTime);
  return String(value);
}

/** The API rejects the key `prototype`, so no stored value contains it. */
const createInvalidJson = (text: string): Value => ({ prototype: text });

function findInvalidJson(value: Value | undefined): string | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && typeof value.prototype === 'string' ? value.prototype : undefined;
}

export function parseJsonText(text: string): Value {
  if (text.trim() === '') return null;
  try {
    const value: Value = JSON.parse(text);
    const isValid = findInvalidJson(value) === undefined && findJsonIssues(text).next().done;
    return isValid ? value : createInvalidJson(text);
  } catch {
    return createInvalidJson(text);
  }
}

export const formatJsonText = (value: Value | undefined): string => {
  if (value === undefined || value === null) return '';
  return findInvalidJson(value) ?? JSON.stringify(value, undefined, 2);
};

export function describeInvalidJson(value: Value | undefined): string | undefined {
  const text = findInvalidJson(value);
  if (text === undefined) return undefined;
  try {
    JSON.parse(text);
    for (const { path, message } of findJsonIssues(text))
      return `is not valid: ${[path.join('.'), message].filter(Boolean).join(' ')}`;
    return 'is not allowed to have the key prototype';
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
}

export const formatMember = (name: string, value: Value | undefined): string => formatValue(findField(name), value);

/** Trims the text, unless the field is exact. */
export const normalizeSearched = (name: string, text: string): string =>
  findField(name)?.unique === 'exact' ? text : text.trim();

/** Keeps other text, so that the API rejects it with a reason. */
export function parseScalar({ type }: OwnField, text: string): Scalar {
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  return type === 'integer' || type === 'number' ? parseNumber(text) : text;
}

export function parseNumber(text: string): string | number {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) && isExactNumber(text.trim()) ? number : text;
}
