import { Buffer } from 'node:buffer';
import { environment } from '../../environment.ts';
import { invalidInput } from '../../errors.ts';
import { isEqualJson } from '../../input/json-equality.ts';
import { isDate, toUtc } from '../../input/time.ts';
import {
  completeDeclaration,
  describeJsonExcess,
  type FieldDeclaration,
  type FieldValue,
  INTEGER_RANGE,
  type JsonValue,
  MAX_JSON_BYTES,
  type OwnField,
} from './declaration.ts';

export type OwnValues = Readonly<Record<string, unknown>>;

/** In declaration order. Read once, because a deploy with other declarations starts new Lambda environments. */
export const ownFields: readonly OwnField[] = Object.entries(environment.readOwnFields()).map(
  // infra/own-fields/declarations.ts has validated the file.
  ([name, declaration]) => ({ ...completeDeclaration(declaration as FieldDeclaration), name }),
);

export const subjectField = ownFields.find(({ subject }) => subject);

export const signInField = ownFields.find(({ signIn }) => signIn);

/** The field `groups`. Undefined unless the setting `groups` is on. */
export const membershipField = ownFields.find(({ type }) => type === 'membership');

export const uniqueFields = ownFields.filter(({ unique }) => unique);

/** Fields of which a value names the user of an upsert. Excludes lists: a replacement would remove the other logins. */
export const keyFields: readonly string[] = [
  'email',
  ...uniqueFields.filter(({ list }) => !list).map(({ name }) => name),
];

/**
 * Names a field in claim keys and in the backfill's record. Exact fields get another name: if a field changes between
 * `true` and `exact`, the old and the new release use separate claims.
 */
export const nameClaims = ({ name, unique }: Pick<OwnField, 'name' | 'unique'>): string =>
  unique === 'exact' ? `${name}${EXACT}` : name;

const EXACT = ':exact';

export const parseClaimName = (text: string): string => text.replace(EXACT, '');

/** Lists the subjects of a user's logins. */
export const listSubjects = ({ own }: Pick<OwnMembers, 'own'>): string[] =>
  subjectField ? [...new Set(listItems(own[subjectField.name]).map(String))] : [];

/** Lists the items of a list, or the only value of another field. */
export const listItems = (value: FieldValue | null | undefined): FieldValue[] =>
  [value ?? []].flat().filter((item) => item !== null);

/** Reads a subject that was stored before the declaration changed from a string to a list, or back. */
function convertSubject(values: OwnValues): OwnValues {
  if (!subjectField) return values;
  const { name, list } = subjectField;
  const stored = values[name];
  if (list && typeof stored === 'string') return { ...values, [name]: [stored] };
  return !list && Array.isArray(stored) && stored.length === 1 ? { ...values, [name]: stored[0] } : values;
}

/** The table stores these values as JSON text: DynamoDB does not support all JSON numbers, and no empty keys. */
const jsonFields = new Map(ownFields.filter(({ type }) => type === 'json').map((field) => [field.name, field]));

export type OwnMembers = {
  /** Undefined if nothing was ever stored. */
  fields?: OwnValues | undefined;
  /** The default, or undefined, if no value of the declared type is stored. */
  own: Readonly<Record<string, FieldValue | undefined>>;
};

export function resolveFields(stored?: unknown): OwnMembers {
  if (!isMap(stored)) return { own: resolveValues({}) };
  const fields = convertSubject(stored);
  return { fields, own: resolveValues(fields) };
}

const isMap = (value: unknown): value is OwnValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const resolveValues = (values: OwnValues): OwnMembers['own'] =>
  Object.fromEntries(ownFields.map((field) => [field.name, resolveValue(field, values[field.name])]));

const resolveValue = (field: OwnField, stored: unknown): FieldValue | undefined =>
  decodeValue(field, stored) ?? field.default;

function decodeValue(field: OwnField, stored: unknown): FieldValue | undefined {
  if (field.type === 'membership') return decodeMemberships(field, stored);
  if (field.type === 'json') return typeof stored === 'string' ? parseJson(stored) : undefined;
  return hasType(field, stored) ? stored : undefined;
}

export type Membership = { id: string; role: string };

/** A role that is no longer declared becomes the first role. */
function decodeMemberships({ roles }: OwnField, stored: unknown): Membership[] | undefined {
  if (!Array.isArray(stored) || !stored.every(isMembership)) return undefined;
  return stored.map(({ id, role }) => ({ id, role: roles?.includes(role) === false ? (roles[0] ?? role) : role }));
}

const isMembership = (value: unknown): value is Membership =>
  isMap(value) && typeof value.id === 'string' && typeof value.role === 'string';

/** Empty without the setting `groups`. */
export const listMemberships = ({ own }: Pick<OwnMembers, 'own'>): readonly Membership[] =>
  membershipField ? ((own[membershipField.name] ?? []) as Membership[]) : []; // `decodeMemberships` ensures the type.

/** Name of the built-in field, which no declaration may have. */
const GROUPS = 'groups';

/** Lists the memberships that the table keeps while the setting `groups` is off. */
export function listHiddenMemberships({ fields }: Pick<OwnMembers, 'fields'>): Membership[] {
  const stored = membershipField ? undefined : fields?.[GROUPS];
  return Array.isArray(stored) ? stored.filter(isMembership) : [];
}

/** Replaces the memberships that the table keeps while the setting `groups` is off. */
export const changeHiddenMemberships = <Changed extends OwnMembers>(
  user: Changed,
  memberships: Membership[],
): Changed =>
  membershipField || isEqualJson(listHiddenMemberships(user), memberships)
    ? user
    : { ...user, fields: { ...user.fields, [GROUPS]: memberships } };

function parseJson(text: string): FieldValue | undefined {
  try {
    return (JSON.parse(text) as JsonValue) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Includes fields that are no longer declared. */
export const decodeValues = (values: OwnValues): OwnValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, stored]) => {
      const field = jsonFields.get(name);
      return [name, (field && decodeValue(field, stored)) ?? stored];
    }),
  );

function hasType({ list, ...field }: OwnField, value: unknown): value is FieldValue {
  if (list) return Array.isArray(value) && value.every((item) => hasType(field, item));
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'date':
      return typeof value === 'string' && isDate(value);
    case 'dateTime':
      return typeof value === 'string' && toUtc(value) === value;
    default:
      return typeof value === 'string';
  }
}

/** True for integers of 32 bits. GraphQL's `Int` would fail with an internal error for others. */
const isInteger = (value: unknown) =>
  Number.isInteger(value) && Number(value) >= INTEGER_RANGE.minimum && Number(value) <= INTEGER_RANGE.maximum;

/** Null clears the field. */
type OwnChanges = Record<string, FieldValue | null>;

export function pickOwnFields(input: object): OwnChanges {
  const members = new Map(Object.entries(input));
  return Object.fromEntries(
    ownFields.flatMap(({ name }) => (members.get(name) === undefined ? [] : [[name, members.get(name)]])),
  );
}

export const clearAllFields = (): OwnChanges =>
  Object.fromEntries(ownFields.filter(({ subject, signIn }) => !subject && !signIn).map(({ name }) => [name, null]));

/** Size limit of a user's own values: each list reads them all from the GSI, and the change log copies them. */
const MAX_BYTES = 8192;

/** Merges objects in the input into JSON values (RFC 7396). */
export type MergeOption = { mergesJson?: true | undefined };

export const changeFields = (user: Partial<OwnMembers>, input: object, options: MergeOption = {}): OwnMembers =>
  resolveFields(changeValues(user.fields, pickOwnFields(input), options));

/** Changes stored values. Keeps values of fields that are no longer declared. */
export function changeValues(
  values: OwnValues | undefined,
  sent: OwnChanges,
  { mergesJson }: MergeOption = {},
): OwnValues | undefined {
  if (Object.keys(sent).length === 0) return values;
  const changes = mergesJson ? mergeChanges(values, sent) : sent;
  const encoded = Object.entries(changes).map(([name, value]) => [name, encodeValue(name, value)]);
  const changed = Object.fromEntries(
    Object.entries({ ...values, ...Object.fromEntries(encoded) }).filter(([, value]) => value !== null),
  );
  checkSize(values, changed, changes);
  const isEmpty = Object.keys(changed).length === 0;
  return isEmpty && values === undefined ? undefined : changed;
}

const encodeValue = (name: string, value: FieldValue | null): unknown =>
  value !== null && jsonFields.has(name) ? JSON.stringify(value) : value;

/** Merges into the value that readers see, which may be the default. Throws BAD_USER_INPUT. */
function mergeChanges(values: OwnValues | undefined, changes: OwnChanges): OwnChanges {
  const merged = { ...changes };
  for (const [name, field] of jsonFields) {
    const patch = changes[name];
    if (patch === undefined || patch === null) continue;
    const value = mergeJson(resolveValue(field, values?.[name]), patch);
    const [bytes, maxBytes] = [measureBytes(value), field.maxBytes ?? MAX_JSON_BYTES];
    if (bytes > maxBytes) throw invalidInput([name], describeJsonExcess(bytes, maxBytes));
    merged[name] = value;
  }
  return merged;
}

/** Merges JSON (RFC 7396). Input validation has rejected the key `__proto__`. */
function mergeJson(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name);
    else merged.set(name, mergeJson(merged.get(name), value));
  return Object.fromEntries(merged);
}

const isObject = (value: JsonValue | undefined): value is { [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Throws BAD_USER_INPUT if the values are too large. If they were too large before, due to a redeclaration, they must
 * only not grow.
 */
function checkSize(before: OwnValues | undefined, after: OwnValues, changes: OwnChanges): void {
  const bytes = countBytes(after);
  if (bytes <= MAX_BYTES || bytes <= countBytes(before)) return;
  const [largest] = Object.entries(changes)
    .map(([name, value]) => ({ name, size: measureBytes(value) }))
    .toSorted((one, other) => other.size - one.size);
  throw invalidInput(
    largest ? [largest.name] : [],
    // Names only a value of this request: people must not learn how long their hidden values are.
    `takes ${largest?.size} bytes: all own fields of a user together must have at most ${MAX_BYTES} bytes`,
  );
}

/** Measures the values that readers see, but no memberships and no values of undeclared fields or of another type. */
function countBytes(values: OwnValues = {}): number {
  const limited = ownFields.filter((field) => field !== membershipField);
  const shown = limited.map((field) => [field.name, decodeValue(field, values[field.name])]);
  return measureBytes(Object.fromEntries(shown));
}

const measureBytes = (value: object | FieldValue | null): number => Buffer.byteLength(JSON.stringify(value));
