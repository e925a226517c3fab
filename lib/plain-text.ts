import * as z from 'zod/mini';

/** One line of text, trimmed. Its length is counted in code points, so that an emoji counts once. */
export const plainText = (maxLength: number) =>
  z.string().check(
    z.trim(),
    z.minLength(1, 'must not be empty'),
    z.refine((text) => [...text].length <= maxLength, `must have at most ${maxLength} characters`),
    z.refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters'),
    z.refine((text) => text.isWellFormed(), 'must be well-formed Unicode'),
  );
