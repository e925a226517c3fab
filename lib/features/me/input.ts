import * as z from 'zod/mini';
import { ownFields } from '../../users/fields/values.ts';
import { createUserInput, mergePatchShape, notInBody, updateUserInput } from '../../users/input.ts';
import { writableFields } from './fields.ts';

const notWritable = Object.fromEntries(
  ownFields.filter((field) => !writableFields.includes(field)).map(({ name }) => [name, true] as const),
);

// The compiler does not know the own fields: these schemas hide them. `pickOwnFields` reads them from the input.

/** Longest token in characters. API Gateway accepts 10,240 bytes of headers. */
const MAX_TOKEN_LENGTH = 10_000;

const token = z.string().check(z.maxLength(MAX_TOKEN_LENGTH, `must have at most ${MAX_TOKEN_LENGTH} characters`));

export const addLoginInput = z.strictObject({ token });

const proof = { idToken: z.optional(token) };

/** `email` is optional: it defaults to the token's address. */
export const createMeInput = z.extend(z.omit(createUserInput, { email: true, ...notWritable } as { email: true }), {
  email: z.optional(createUserInput.shape.email),
  ...proof,
});

/** All members are optional: only a creation needs them. */
export const signInInput = z.partial(createMeInput);

const omitted: typeof notInBody = { ...notInBody, ...notWritable };

export const updateMeInput = z.extend(z.omit(updateUserInput, omitted), proof);

export const mergeMeInput = z.extend(z.omit(z.extend(updateUserInput, mergePatchShape), omitted), proof);
