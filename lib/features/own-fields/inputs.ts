import * as z from 'zod/mini';
import type { FieldValue, OwnField } from './declaration.ts';
import { ownFields } from './declared.ts';
import { valueSchema } from './value-schema.ts';

type Shape = Record<string, z.ZodMiniType>;

const createShape = (toMember: (value: z.ZodMiniType<FieldValue>, field: OwnField) => z.ZodMiniType): Shape =>
  Object.fromEntries(ownFields.map((field) => [field.name, toMember(valueSchema(field), field)]));

// The compiler does not know their members: `pickOwnFields` reads them.

/** The members of a body that creates or replaces a user. */
export const wholeShape = createShape((value, { required }) => (required ? value : z.optional(value))) as object;

/** The members of a body that changes a user: null clears a field that is not required. */
export const patchShape = createShape((value, { required }) =>
  z.optional(required ? value : z.nullable(value)),
) as object;
