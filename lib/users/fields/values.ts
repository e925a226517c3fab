import { Buffer } from 'node:buffer';
import { environment } from '../../environment.ts';
import { invalidInput } from '../../errors.ts';
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

/** The values of a user by the names of the fields, as they are stored: also those of fields that are no longer declared. */
export type OwnValues = Readonly<Record<string, unknown>>;

/** The declared fields in their order. They are read once: a deploy that declares others starts new environments. */
export const ownFields: readonly OwnField[] = Object.entries(environment.readOwnFields()).map(
  // The file holds what infra/own-fields/declarations.ts has checked.
  ([name, declaration]) => ({ ...completeDeclaration(declaration as FieldDeclaration), name }),
);

/** The field that links users to people. Undefined where people have no access to their own records. */
export const subjectField = ownFields.find(({ subject }) => subject);

export const uniqueFields = ownFields.filter(({ unique }) => unique);
/**
 * Names a unique field in the keys of its claims, and in the record of the backfill. An exact field gets another name: a change between
 * `true` and `exact` moves every claim, and neither release reads claims of the other one.
 */
export const nameClaims = ({ name, unique }: Pick<OwnField, 'name' | 'unique'>): string =>
  unique === 'exact' ? `${name}${EXACT}` : name;

/** No name of a field contains a colon. */
const EXACT = ':exact';

/** Returns the name of the field whose claims `nameClaims` named. */
export const parseClaimName = (text: string): string => text.replace(EXACT, '');

export const searchFields = ownFields.filter(({ search }) => search);

/** Their values are stored as JSON text: DynamoDB has fewer numbers than JSON, and no empty keys. */
const jsonFields = new Map(ownFields.filter(({ type }) => type === 'json').map((field) => [field.name, field]));

/** The members of a user that are about own fields. */
export type OwnMembers = {
  /** Undefined if nothing was ever stored. */
  fields?: OwnValues | undefined;
  /**
   * The values of all declared fields, in their order, as the service shows and uses them: the default, or undefined, if nothing
   * is stored, or what no longer has the declared type.
   */
  own: Readonly<Record<string, FieldValue | undefined>>;
};

/** Resolves the stored values of a user. */
export const resolveFields = (stored?: unknown): OwnMembers =>
  isMap(stored) ? { fields: stored, own: resolveValues(stored) } : { own: resolveValues({}) };

const isMap = (value: unknown): value is OwnValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const resolveValues = (values: OwnValues): OwnMembers['own'] =>
  Object.fromEntries(ownFields.map((field) => [field.name, resolveValue(field, values[field.name])]));

const resolveValue = (field: OwnField, stored: unknown): FieldValue | undefined =>
  decodeValue(field, stored) ?? field.default;

/** Returns undefined for what does not have the declared type. */
function decodeValue(field: OwnField, stored: unknown): FieldValue | undefined {
  if (field.type === 'json') return typeof stored === 'string' ? parseJson(stored) : undefined;
  return hasType(field, stored) ? stored : undefined;
}

function parseJson(text: string): FieldValue | undefined {
  try {
    // JSON.parse returns such values.
    return (JSON.parse(text) as JsonValue) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns stored values as readers see them, also those of fields that are no longer declared. */
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
      return typeof value === 'string' && DATE.test(value);
    case 'dateTime':
      return typeof value === 'string' && TIME.test(value);
    default:
      return typeof value === 'string';
  }
}

/** GraphQL would answer with an internal error for others. */
const isInteger = (value: unknown) =>
  Number.isInteger(value) && Number(value) >= INTEGER_RANGE.minimum && Number(value) <= INTEGER_RANGE.maximum;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The changes of own fields by name: null clears. */
type OwnChanges = Record<string, FieldValue | null>;

/** Picks the own fields of an input that was parsed with the schemas of users/input.ts. */
export function pickOwnFields(input: object): OwnChanges {
  const members = new Map(Object.entries(input));
  return Object.fromEntries(
    ownFields.flatMap(({ name }) => (members.get(name) === undefined ? [] : [[name, members.get(name)]])),
  );
}

/** Returns the members of an input that clears all fields. The subject of a user stays. */
export const clearAllFields = (): OwnChanges =>
  Object.fromEntries(ownFields.filter(({ subject }) => !subject).map(({ name }) => [name, null]));

/** The shown values of a user together, in UTF-8. A user is an item of one page of the index, and is copied into the log of changes. */
const MAX_BYTES = 8192;

/** An object in the input is merged into the value of a field of the type json (RFC 7396), instead of replacing it. */
export type MergeOption = { mergesJson?: true | undefined };

/** Changes the own fields of a user as an input says. Throws BAD_USER_INPUT if values are too large. */
export const changeFields = (user: Partial<OwnMembers>, input: object, options: MergeOption = {}): OwnMembers =>
  resolveFields(changeValues(user.fields, pickOwnFields(input), options));

/** Values of fields that are no longer declared stay. */
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

/** The shown value is changed, which may be the default. Throws BAD_USER_INPUT. */
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

/** RFC 7396: members of the patch replace those of the target, and null removes them. No key is `__proto__`. */
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

/** A user whose values are too large, because a field was declared again, can be changed as long as the values do not grow. */
function checkSize(before: OwnValues | undefined, after: OwnValues, changes: OwnChanges): void {
  const bytes = countBytes(after);
  if (bytes <= MAX_BYTES || bytes <= countBytes(before)) return;
  const [largest] = Object.entries(changes)
    .map(([name, value]) => ({ name, size: measureBytes(value) }))
    .toSorted((one, other) => other.size - one.size);
  throw invalidInput(
    largest ? [largest.name] : [],
    // The size of the others stays secret: people must not learn how long hidden values are.
    `takes ${largest?.size} bytes: all own fields of a user together may take ${MAX_BYTES}`,
  );
}

/** Hidden values do not count: those of fields that are no longer declared, or that had another type. */
function countBytes(values: OwnValues = {}): number {
  const shown = ownFields.map((field) => [field.name, decodeValue(field, values[field.name])]);
  return measureBytes(Object.fromEntries(shown));
}

const measureBytes = (value: object | FieldValue | null): number => Buffer.byteLength(JSON.stringify(value));
