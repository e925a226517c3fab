import * as z from 'zod/mini';
import { ownFields } from '../../users/fields/values.ts';
import { createUserInput, mergePatchShape, updateUserInput } from '../../users/input.ts';

/** The fields that a person may not write. Bodies that name one are rejected like those that name an unknown field. */
const notWritable = Object.fromEntries(
  ownFields.filter(({ self }) => self !== 'write').map(({ name }) => [name, true] as const),
);

// The compiler does not know the declared fields: `pickOwnFields` reads them.

/** The address of a new record is that of the token, so a body need not repeat it. */
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
