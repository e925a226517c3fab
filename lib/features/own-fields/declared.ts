import { environment } from '../../environment.ts';
import { type FieldDeclaration, type FieldValue, INTEGER_RANGE, type OwnField } from './declaration.ts';

/** The values of a user by the names of the fields, as they are stored: also those of fields that are no longer declared. */
export type OwnValues = Readonly<Record<string, unknown>>;

/** The declared fields in their order. They are read once: a deploy that declares others starts new environments. */
export const ownFields: readonly OwnField[] = Object.entries(environment.readOwnFields()).map(
  // The file holds what infra/own-fields/declarations.ts has checked.
  ([name, declaration]) => ({ ...(declaration as FieldDeclaration), name }),
);

export const uniqueFields = ownFields.filter(({ unique }) => unique);
export const searchFields = ownFields.filter(({ search }) => search);

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

const resolveValue = (field: OwnField, value: unknown): FieldValue | undefined =>
  hasType(field, value) ? value : field.default;

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
