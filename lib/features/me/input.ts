import * as z from 'zod/mini';
import { ownFields } from '../../users/fields/values.ts';
import { createUserInput, mergePatchShape, notInBody, updateUserInput } from '../../users/input.ts';
import { writableFields } from './fields.ts';

const notWritable = Object.fromEntries(
  ownFields.filter((field) => !writableFields.includes(field)).map(({ name }) => [name, true] as const),
);

// The compiler does not know the own fields: these schemas hide them. `pickOwnFields` reads them from the input.

/** `email` is optional: it defaults to the token's address. */
export const createMeInput = z.extend(z.omit(createUserInput, { email: true, ...notWritable } as { email: true }), {
  email: z.optional(createUserInput.shape.email),
});

/** All members are optional: only a creation needs them. */
export const signInInput = z.partial(createMeInput);

const omitted: typeof notInBody = { ...notInBody, ...notWritable };

export const updateMeInput = z.omit(updateUserInput, omitted);

export const mergeMeInput = z.omit(z.extend(updateUserInput, mergePatchShape), omitted);
