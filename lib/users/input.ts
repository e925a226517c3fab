import * as z from 'zod/mini';
import { idInput, plainText, rule } from '../input/schemas.ts';
import { fitsIntoAddress, isEmail, MAX_OCTETS } from './email.ts';
import type { FieldValue, OwnField } from './fields/declaration.ts';
import { valueSchema } from './fields/value-schema.ts';
import { ownFields } from './fields/values.ts';

// Separate from user.ts and email.ts: functions that only read or delete load no zod (25 kB) at a cold start.

export const MAX_NAME_LENGTH = 256;

const name = plainText(MAX_NAME_LENGTH);

const email = z
  .string()
  .check(
    z.trim(),
    rule(fitsIntoAddress, `must have at most ${MAX_OCTETS} octets`),
    rule(isEmail, 'must be an email address'),
  );

/** `id`: the version is of this user. Entity tags of a path without an id contain it. */
const version = z.object({ id: z.optional(z.string()), version: z.int() });
export type Version = z.infer<typeof version>;

const versions = z.array(version).check(z.minLength(1), z.maxLength(100));

/** `ifUnmodifiedSince`: Unix time in ms. */
const conditions = {
  ifUnmodifiedSince: z.optional(z.int()),
  ifVersion: z.optional(versions),
  ifNotVersion: z.optional(z.union([versions, z.literal('any')])),
};

/** Mask of the members that REST reads from the path and the headers, not from the body. */
export const notInBody = { id: true, ifVersion: true, ifNotVersion: true, ifUnmodifiedSince: true } as const;

type Shape = Record<string, z.ZodMiniType>;

const createShape = (toMember: (value: z.ZodMiniType<FieldValue>, field: OwnField) => z.ZodMiniType): Shape =>
  Object.fromEntries(ownFields.map((field) => [field.name, toMember(valueSchema(field), field)]));

// The compiler does not know the own fields: `as object` drops them. `pickOwnFields` reads them from the input.

/** Null means no memberships. */
const wholeShape = createShape((value, { required, type }) => {
  if (type === 'membership') return z.optional(z.nullable(value));
  return required ? value : z.optional(value);
}) as object;

/** Null clears an optional field. A subject cannot be cleared. */
export const patchShape = createShape((value, { required, subject }) =>
  z.optional(required || subject ? value : z.nullable(value)),
) as object;

/** `maxBytes` limits the merged value, not the patch. */
export const mergePatchShape = Object.fromEntries(
  ownFields
    .filter(({ type }) => type === 'json')
    .map((field): [string, z.ZodMiniType] => {
      const value = valueSchema({ ...field, maxBytes: Number.POSITIVE_INFINITY });
      return [field.name, z.optional(field.required ? value : z.nullable(value))];
    }),
) as object;

export const createUserInput = z.strictObject({ name, email, ...wholeShape });
export const replaceUserInput = z.strictObject({ id: idInput, name, email, ...wholeShape, ...conditions });
export const updateUserInput = z.strictObject({
  id: idInput,
  name: z.optional(name),
  email: z.optional(email),
  ...patchShape,
  ...conditions,
});
export const deleteUserInput = z.strictObject({ id: idInput, ...conditions });
