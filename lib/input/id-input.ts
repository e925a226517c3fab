import * as z from 'zod/mini';

/** An id as a member of an input, with what `normalizeId` does. Functions that only read an id do without zod. */
export const idInput = z.string().check(z.toLowerCase());
