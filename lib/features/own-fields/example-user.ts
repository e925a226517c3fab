import type { FieldValue } from './declaration.ts';
import { ownFields } from './declared.ts';
import { findExample } from './example.ts';

const values: [string, FieldValue | undefined][] = ownFields
  .filter(({ deprecated }) => !deprecated)
  .map((field) => [field.name, findExample(field)]);

/** The values that documents show of a user. */
export const exampleValues = ownFields.length > 0 ? Object.fromEntries(values) : undefined;
