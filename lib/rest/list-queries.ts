import * as z from 'zod/mini';

const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;
const MAX_EMAIL_OCTETS = 254;

const after = z.optional(z.uuid('must be the id of a user').check(z.toLowerCase())).register(z.globalRegistry, {
  description: 'Lists the users after the one with this id. Links to the next page contain it.',
});

const email = z.optional(z.pipe(z.string(), z.transform(normalizeEmail))).register(z.globalRegistry, {
  description: 'Lists only the user with this email address, in any case; nobody if none has it.',
});

function normalizeEmail(text: string): string {
  // A plus that the client did not encode arrives as a space, which no address contains.
  const address = text.trim().replaceAll(' ', '+');
  // Nobody has a longer address, or the empty one. Links repeat the address, so keep it short.
  return Buffer.byteLength(address) > MAX_EMAIL_OCTETS ? '' : address;
}

const order = z
  ._default(z.optional(z.enum(['asc', 'desc'], 'must be asc or desc')), 'asc')
  .register(z.globalRegistry, { description: 'By creation: `asc` is oldest first, `desc` newest first.' });

export const envelopedListQuery = z.pipe(
  listQuery({ after, order, email }),
  z.transform((query) => ({ ...query, limit: MAX_LIMIT })),
);

export const bareListQuery = listQuery({
  page: wholeNumber(Number.MAX_SAFE_INTEGER, 1, 'The number of the page. A page after the last one is empty.'),
  limit: wholeNumber(MAX_LIMIT, DEFAULT_LIMIT, 'The number of users per page.'),
  after,
  order,
  email,
});

function listQuery<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  const error = `is not a parameter of this list; its parameters are ${known}`;
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? error : undefined) });
}

/** Parameters are text; the OpenAPI document describes the number. */
function wholeNumber(maximum: number, fallback: number, description: string) {
  const digits = z.string().check(z.refine((text) => /^[1-9]\d*$/.test(text), 'must be a whole number, at least 1'));
  const number = z
    .pipe(digits, z.transform(Number))
    .check(z.refine((number) => number <= maximum, `must be at most ${maximum}`));
  return z
    ._default(z.optional(number), fallback)
    .register(z.globalRegistry, { type: 'integer', minimum: 1, maximum, default: fallback, description });
}
