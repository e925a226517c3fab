export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'dateTime' | 'json';
export type Scalar = string | number | boolean;
export type JsonValue = Scalar | null | JsonValue[] | { [name: string]: JsonValue };
/** Only fields of type `json` have other values than scalars and lists of scalars. */
export type FieldValue = Exclude<JsonValue, null>;

/**
 * A field that a team declares for its users. In a list, the limits apply to each item.
 * infra/own-fields/declarations.ts validates declarations at synth and at a local start. The service assumes that
 * declarations are valid.
 */
export type FieldDeclaration = {
  type: FieldType;
  list?: boolean;
  maxLength?: number;
  multiline?: boolean;
  /** Maximum UTF-8 bytes of a value as JSON. */
  maxBytes?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  enum?: readonly Scalar[];
  maxItems?: number;
  required?: boolean;
  /** Returned for users without a value. Not stored. */
  default?: FieldValue;
  /** `true` ignores case. `exact` compares and stores a string as sent. */
  unique?: boolean | 'exact';
  search?: boolean;
  filter?: boolean;
  sort?: boolean;
  /** Links a user to a person: the field holds a claim of the person's token. At most one field may be the subject. */
  subject?: boolean;
  /** Access of people to this field of their own record. */
  self?: 'hidden' | 'read' | 'write';
  label?: string;
  /** Heading in the console, above all fields of the group. */
  group?: string;
  description?: string;
  /** Marks the field as deprecated, and says what to use instead. */
  deprecated?: string;
  example?: FieldValue;
};
export type OwnField = FieldDeclaration & { name: string };

/** OpenID Connect Core section 2: a subject has at most 255 ASCII characters. */
const MAX_SUBJECT_LENGTH = 255;
export const SUBJECT = new RegExp(`^[\\x20-\\x7e]{1,${MAX_SUBJECT_LENGTH}}$`);
export const SUBJECT_FORM = `must be 1 to ${MAX_SUBJECT_LENGTH} printable ASCII characters`;

/** Subjects are always `exact`. */
export const completeDeclaration = <Field extends FieldDeclaration>(field: Field): Field =>
  field.subject ? { ...field, unique: 'exact', maxLength: MAX_SUBJECT_LENGTH } : field;

export const MAX_LENGTH = 256;
export const MAX_JSON_BYTES = 1000;
export const MAX_ITEMS = 20;

/**
 * Maximum UTF-8 bytes of a unique text after normalization, which can triple its length. The claim's `pk` consists of
 * the field name and the text. `pk` is the sort key of the GSI, so DynamoDB limits it to 1024 bytes, even for claims,
 * which are not in the GSI.
 */
export const MAX_UNIQUE_BYTES = 960;

/** GraphQL's Int has 32 bits. */
export const INTEGER_RANGE = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** The AWS SDK rejects larger numbers. */
export const NUMBER_RANGE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

export const describeJsonExcess = (bytes: number, maxBytes: number): string =>
  `takes ${bytes} bytes as JSON, which is more than ${maxBytes}`;

/** Returns a valid value for documentation. Undefined for a field with a pattern but without example and default. */
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
