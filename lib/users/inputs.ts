import * as z from 'zod/mini';
import { plainText } from '../plain-text.ts';
import { email } from './email.ts';

const name = plainText(256).register(z.globalRegistry, {
  maxLength: 256,
  // No control characters, and not only spaces. The spaces around it are trimmed.
  pattern: '^\\s*[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?\\s*$',
  description: 'Trimmed, without control characters.',
  examples: ['Ada Lovelace'],
});

const versions = z.array(z.int()).check(z.minLength(1), z.maxLength(100));

/** The versions that a write may replace, and those that it may not. Without them, it may replace any. */
const conditions = {
  ifVersion: z.optional(versions),
  ifNotVersion: z.optional(z.union([versions, z.literal('any')])),
};

export const createUserInput = z.strictObject({ name, email });
export const replaceUserInput = z.strictObject({ id: z.string(), name, email, ...conditions });
export const updateUserInput = z.strictObject({
  id: z.string(),
  name: z.optional(name),
  email: z.optional(email),
  ...conditions,
});
export const deleteUserInput = z.strictObject({ id: z.string(), ...conditions });
