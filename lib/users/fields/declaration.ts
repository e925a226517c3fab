export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'dateTime' | 'json';
export type Scalar = string | number | boolean;
export type JsonValue = Scalar | null | JsonValue[] | { [name: string]: JsonValue };
/** Null is no value. Only fields of the type json have other values than scalars and lists of these. */
export type FieldValue = Exclude<JsonValue, null>;

/**
 * A field that a team declares for its users. Limits are those of each item if it is a list. infra/own-fields/declarations.ts checks
 * declarations when a stack is synthesised and when the service starts on this machine; here they are valid.
 */
export type FieldDeclaration = {
  type: FieldType;
  list?: boolean;
  maxLength?: number;
  /** The string may have line breaks. */
  multiline?: boolean;
  /** The bytes that the JSON text of a value may take in UTF-8. */
  maxBytes?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  enum?: readonly Scalar[];
  maxItems?: number;
  required?: boolean;
  /** What readers see of a user who has no value; a default is not stored. */
  default?: FieldValue;
  /** `true` ignores case. `exact` compares and stores a string as it was sent. */
  unique?: boolean | 'exact';
  search?: boolean;
  filter?: boolean;
  sort?: boolean;
  /** The field links a user to a person: it holds a claim of the person's token. At most one field has it. */
  subject?: boolean;
  /** What people may do with the field of their own record. */
  self?: 'hidden' | 'read' | 'write';
  /** The console shows the field under this name. */
  label?: string;
  /** The console shows fields of one group together, under this heading. */
  group?: string;
  description?: string;
  /** Says what to use instead. */
  deprecated?: string;
  example?: FieldValue;
};
export type OwnField = FieldDeclaration & { name: string };

/** OpenID Connect Core section 2: a subject has at most 255 ASCII characters. */
const MAX_SUBJECT_LENGTH = 255;
export const SUBJECT = new RegExp(`^[\\x20-\\x7e]{1,${MAX_SUBJECT_LENGTH}}$`);
export const SUBJECT_FORM = `must be 1 to ${MAX_SUBJECT_LENGTH} printable ASCII characters`;

/** A subject is compared and stored as it was sent, whatever else its declaration says. */
export const completeDeclaration = <Field extends FieldDeclaration>(field: Field): Field =>
  field.subject ? { ...field, unique: 'exact', maxLength: MAX_SUBJECT_LENGTH } : field;

/** The limits of texts, JSON values and lists that declare none. */
export const MAX_LENGTH = 256;
export const MAX_JSON_BYTES = 1000;
export const MAX_ITEMS = 20;

/**
 * A unique text is part of a key with the name of its field. The table's index sorts by that key, so it has 1024 bytes at most
 * even though claims are not in the index. Normalization can make a text three times as long.
 */
export const MAX_UNIQUE_BYTES = 960;

/** GraphQL's Int has 32 bits. */
export const INTEGER_RANGE = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** The AWS SDK stores no other numbers. */
export const NUMBER_RANGE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** Says that a value takes too many bytes. */
export const describeJsonExcess = (bytes: number, maxBytes: number): string =>
  `takes ${bytes} bytes as JSON, which is more than ${maxBytes}`;

/** Returns a valid value for documents. Undefined for a pattern, if the declaration has no example or default. */
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
  }
}
