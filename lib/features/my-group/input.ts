import * as z from 'zod/mini';
import { idempotencyKey, idInput } from '../../input/schemas.ts';
import { ownFields } from '../../users/fields/values.ts';
import { createUserInput, notInBody, updateUserInput } from '../../users/input.ts';
import { role } from '../groups/input.ts';
import { writableFields } from './fields.ts';

/** Includes the field `groups`: an administrator sets only the role. */
const notWritable = Object.fromEntries(
  ownFields.filter((field) => !writableFields.includes(field)).map(({ name }) => [name, true] as const),
);

// The compiler does not know the own fields: these schemas hide them. `pickOwnFields` reads them from the input.

export const addMemberInput = z.extend(z.omit(createUserInput, notWritable as Record<never, true>), {
  role: z.nullish(role),
  idempotencyKey: z.nullish(idempotencyKey),
});

const omitted = { ...notInBody, email: true, ...notWritable } as typeof notInBody & { email: true };

/** Has no address: who can change the address of an unlinked user can sign in as this user. */
export const updateMemberInput = z.extend(z.omit(updateUserInput, omitted), { id: idInput, role: z.optional(role) });

export const removeMemberInput = z.strictObject({ id: idInput });
