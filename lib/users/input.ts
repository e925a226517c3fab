import * as z from 'zod/mini';
import { describePlainText, idInput, plainText, rule } from '../input/schemas.ts';
import { describeEmail, fitsIntoAddress, isEmail, MAX_OCTETS } from './email.ts';
import type { FieldValue, OwnField } from './fields/declaration.ts';
import { valueSchema } from './fields/value-schema.ts';
import { ownFields } from './fields/values.ts';

// Separate from user.ts and email.ts: functions that only read or delete would carry zod (25 kB) and create schemas at a cold start.

const MAX_NAME_LENGTH = 256;

const name = plainText(MAX_NAME_LENGTH).register(z.globalRegistry, {
  ...describePlainText(MAX_NAME_LENGTH),
  description: `Trimmed, then at most ${MAX_NAME_LENGTH} characters, of which one is visible; a single line without control characters, and without characters that change the direction of text.`,
  examples: ['Ada Lovelace'],
});

const email = z
  .string()
  .check(
    z.trim(),
    rule(fitsIntoAddress, `must have at most ${MAX_OCTETS} octets`),
    rule(isEmail, 'must be an email address'),
  )
  .register(z.globalRegistry, {
    format: 'idn-email',
    ...describeEmail(),
    description: `At most ${MAX_OCTETS} octets, trimmed, kept as typed. Unique, case-insensitively.`,
    examples: ['ada@example.org'],
  });

const versions = z.array(z.int()).check(z.minLength(1), z.maxLength(100));

/** The versions that a write may replace, those that it may not, and the time in ms after which it replaces none. Without them, it may replace any. */
const conditions = {
  ifUnmodifiedSince: z.optional(z.int()),
  ifVersion: z.optional(versions),
  ifNotVersion: z.optional(z.union([versions, z.literal('any')])),
};

type Shape = Record<string, z.ZodMiniType>;

const createShape = (toMember: (value: z.ZodMiniType<FieldValue>, field: OwnField) => z.ZodMiniType): Shape =>
  Object.fromEntries(ownFields.map((field) => [field.name, toMember(valueSchema(field), field)]));

// The compiler does not know their members: `pickOwnFields` reads them.

/** The own fields of a body that creates or replaces a user. */
const wholeShape = createShape((value, { required }) => (required ? value : z.optional(value))) as object;

/** The own fields of a body that changes a user: null clears a field that is not required. No body clears a subject. */
export const patchShape = createShape((value, { required, subject }) =>
  z.optional(required || subject ? value : z.nullable(value)),
) as object;

/** The result of a merge has the limit, not the patch. */
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
