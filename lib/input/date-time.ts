import * as z from 'zod/mini';

/** A time of RFC 3339, whose section 5.6 also allows a `t` and a `z` in lower case. */
export const dateTime = (error?: string): z.ZodMiniString =>
  z
    .string(error)
    .check(z.toUpperCase(), z.regex(z.regexes.datetime({ offset: true }), error))
    .register(z.globalRegistry, { format: 'date-time' });
