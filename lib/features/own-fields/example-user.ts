import type { FieldValue } from './declaration.ts';
import { ownFields } from './declared.ts';
import { findExample } from './example.ts';

// Only documents need them: infra/construct/bundling leaves them out of the functions.

const values: [string, FieldValue | undefined][] = ownFields
  .filter(({ deprecated }) => !deprecated)
  .map((field) => [field.name, findExample(field)]);

/** The values that documents show of a user. */
export const exampleValues = ownFields.length > 0 ? Object.fromEntries(values) : undefined;
