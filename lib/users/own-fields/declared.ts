import { environment } from '../../environment.ts';

export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'dateTime';
type Scalar = string | number | boolean;
export type FieldValue = Scalar | Scalar[];

/**
 * A field that a team declares for its users. Limits are those of each item if it is a list. infra/own-fields.ts checks
 * declarations when a stack is synthesised and when the service starts on this machine; here they are valid.
 */
export type FieldDeclaration = {
  type: FieldType;
  list?: boolean;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  enum?: readonly Scalar[];
  maxItems?: number;
  required?: boolean;
  /** It is what readers see of a user who has no value; it is not stored. */
  default?: FieldValue;
  unique?: boolean;
  search?: boolean;
  description?: string;
  /** Says what to use instead. */
  deprecated?: string;
  example?: FieldValue;
};
export type OwnField = FieldDeclaration & { name: string };

/** The values of a user by the names of the fields, as they are stored: also those of fields that are no longer declared. */
export type OwnValues = Readonly<Record<string, unknown>>;

/** The declared fields in their order. They are read once: a deploy that declares others starts new environments. */
export const ownFields: readonly OwnField[] = Object.entries(environment.readOwnFields()).map(
  // The file holds what infra/own-fields.ts has checked.
  ([name, declaration]) => ({ ...(declaration as FieldDeclaration), name }),
);

export const uniqueFields = ownFields.filter(({ unique }) => unique);
export const searchFields = ownFields.filter(({ search }) => search);

/** The limits of texts and lists that declare none. */
export const MAX_LENGTH = 256;
export const MAX_ITEMS = 20;

/** GraphQL's Int has 32 bits. */
export const INTEGER_RANGE = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** What readers see of a field: the default, or undefined, if nothing is stored, or what no longer has the declared type. */
export function showValue(field: OwnField, values: OwnValues | undefined): FieldValue | undefined {
  const value = values?.[field.name];
  return hasType(field, value) ? value : field.default;
}

function hasType({ list, ...field }: OwnField, value: unknown): value is FieldValue {
  if (list) return Array.isArray(value) && value.every((item) => hasType(field, item));
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    default:
      return typeof value === 'string';
  }
}

/** The members of a user after `email`; those without a value are left out. */
export function showValues(values: OwnValues | undefined): Record<string, FieldValue> {
  const shown: Record<string, FieldValue> = {};
  for (const field of ownFields) {
    const value = showValue(field, values);
    if (value !== undefined) shown[field.name] = value;
  }
  return shown;
}
