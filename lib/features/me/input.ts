import * as z from 'zod/mini';
import { ownFields } from '../../users/fields/values.ts';
import { createUserInput, mergePatchShape, updateUserInput } from '../../users/input.ts';
import { writableFields } from './fields.ts';

/** The fields that people may not write. A body with one is rejected as if the field were unknown. */
const notWritable = Object.fromEntries(
  ownFields.filter((field) => !writableFields.includes(field)).map(({ name }) => [name, true] as const),
);

// The compiler does not know the declared fields: `pickOwnFields` reads them.

/** A new record gets the address of the token, so the body may omit it. */
export const createMeInput = z.extend(z.omit(createUserInput, { email: true, ...notWritable } as { email: true }), {
  email: z.optional(createUserInput.shape.email),
});

const notInBody = {
  ...{ id: true, ifVersion: true, ifNotVersion: true, ifUnmodifiedSince: true },
  ...notWritable,
} as { id: true; ifVersion: true; ifNotVersion: true; ifUnmodifiedSince: true };

export const updateMeInput = z.omit(updateUserInput, notInBody);

/** A merge patch of the record. */
export const mergeMeInput = z.omit(z.extend(updateUserInput, mergePatchShape), notInBody);
