import * as z from 'zod';

/** One line of text, trimmed. Its length is counted in code points, so that an emoji counts once. */
export const plainText = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .refine((text) => [...text].length <= maxLength, `must have at most ${maxLength} characters`)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');
