/** `membership`: only the built-in field `groups` has it, which infra/own-fields/memberships.ts adds. */
export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'dateTime' | 'json' | 'membership';
export type Scalar = string | number | boolean;
export type JsonValue = Scalar | null | JsonValue[] | { [name: string]: JsonValue };
/** Value of a field. Only `json` fields have values other than scalars and lists of scalars. */
export type FieldValue = Exclude<JsonValue, null>;

/**
 * In a list, the limits apply to each item. infra/own-fields/declarations.ts checks declarations at synth and at a
 * local start.
 */
export type FieldDeclaration = {
  type: FieldType;
  list?: boolean;
  maxLength?: number;
  multiline?: boolean;
  /** UTF-8 bytes of a value as JSON. */
  maxBytes?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  enum?: readonly Scalar[];
  /** Roles of members of a group. The first one is the default. Undefined if only a deployment knows them. */
  roles?: readonly string[];
  maxItems?: number;
  required?: boolean;
  /** Readers see the default, but the table does not store it. */
  default?: FieldValue;
  /** `true` ignores case. `exact` compares and stores a string as sent. */
  unique?: boolean | 'exact';
  /** `maxWords`: only the first words find the user. */
  search?: boolean | { maxWords: number };
  filter?: boolean;
  sort?: boolean;
  /**
   * The field holds the claim of a token that identifies a person. A list holds the claims of several logins. At most
   * one field may be the subject.
   */
  subject?: boolean;
  /** Sign-ins of the person set the time. At most one field may have it. */
  signIn?: boolean;
  /** Values that block people from their own record. */
  blocks?: readonly Scalar[];
  /** People's access to this field of their own record. */
  self?: 'hidden' | 'read' | 'write';
  /** Access of a group's administrators to this field of a member. */
  groupAdmin?: 'hidden' | 'read' | 'write';
  label?: string;
  group?: string;
  description?: string;
  deprecated?: string;
  example?: FieldValue;
};
export type OwnField = FieldDeclaration & { name: string };

/** True if the value blocks the person from their own record. */
export const isBlocking = ({ blocks }: FieldDeclaration, value: unknown): boolean =>
  blocks?.some((each) => each === value) ?? false;

/** Derived items that declarations may give a user. `source` completes the message "20 for …". */
export type KeyCount = { count: number; source: string };

/** Imports read the roles of a deployment from this text of its GraphQL schema. */
export const describeRoles = (roles: readonly string[]): string => `One of ${roles.join(', ')}. Default: ${roles[0]}.`;

/** Maximum length of a subject (OpenID Connect Core section 2). */
const MAX_SUBJECT_LENGTH = 255;
export const SUBJECT = new RegExp(`^[\\x20-\\x7e]{1,${MAX_SUBJECT_LENGTH}}$`);
export const SUBJECT_FORM = `must be 1 to ${MAX_SUBJECT_LENGTH} printable ASCII characters`;

/** Maximum logins of one person, if the subject is a list. */
export const MAX_SUBJECTS = 5;

/** A subject is always `exact`. The texts of a filter must fit into keys. */
export function completeDeclaration<Field extends FieldDeclaration>(field: Field): Field {
  if (field.subject) {
    const limits = field.list ? { maxItems: MAX_SUBJECTS } : {};
    return { ...limits, ...field, unique: 'exact', maxLength: MAX_SUBJECT_LENGTH };
  }
  const isFilterText = field.filter && field.type === 'string' && !field.enum;
  return isFilterText ? { maxLength: MAX_FILTER_LENGTH, ...field } : field;
}

export const MAX_LENGTH = 256;
/** Characters of a filter value, which is part of a partition key. */
export const MAX_FILTER_LENGTH = 64;
export const MAX_JSON_BYTES = 1000;
export const MAX_ITEMS = 20;

/**
 * Size of a unique text after normalization, which can triple the length. The claim's `pk` contains the field name and
 * the text. DynamoDB limits `pk` to 1024 bytes, because it is the sort key of the GSI, even for items outside of the
 * GSI.
 */
export const MAX_UNIQUE_BYTES = 960;

/** GraphQL's Int has 32 bits. */
export const INTEGER_RANGE = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** The AWS SDK rejects larger numbers. */
export const NUMBER_RANGE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

export const describeJsonExcess = (bytes: number, maxBytes: number): string =>
  `takes ${bytes} bytes as JSON, which is more than ${maxBytes}`;

/** Finds an example of a value. Undefined for a field with a pattern but without example and default. */
export function findExample(field: FieldDeclaration): FieldValue | undefined {
  const given = field.example ?? field.default;
  if (given !== undefined) return given;
  const value = field.enum?.[0] ?? createExample(field);
  return value !== undefined && field.list ? [value] : value;
}

function createExample({ type, maxLength = MAX_LENGTH, minimum, maximum, pattern }: FieldDeclaration) {
  switch (type) {
    case 'string':
      return pattern === undefined ? 'text'.slice(0, maxLength) : undefined;
    case 'integer':
    case 'number':
      return Math.min(Math.max(1, minimum ?? 1), maximum ?? Number.MAX_VALUE);
    case 'boolean':
      return true;
    case 'date':
      return '2026-01-31';
    case 'dateTime':
      return '2026-01-31T12:00:00.000Z';
    case 'json':
      return {};
    case 'membership':
      return undefined; // Groups of an example do not exist.
  }
}
