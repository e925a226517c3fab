import { ownFields } from './declared.ts';
import { valueSchema } from './value-schema.ts';

/** The values of each field that has a choice of them. They get a name: generators make one type of it, and a type in each place of a choice that has none. */
export const choices = ownFields
  .filter((field) => field.enum)
  .map(({ list: _, ...field }) => ({
    field: field.name,
    name: `${field.name.slice(0, 1).toUpperCase()}${field.name.slice(1)}Value`,
    schema: valueSchema(field),
  }));

/** Readers see the default where there is no value. */
export const alwaysShown = ownFields.flatMap((field) => (field.default === undefined ? [] : [field.name]));
