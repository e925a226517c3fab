import * as z from 'zod';

const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;
const MAX_EMAIL_OCTETS = 254;

const after = z
  .uuid('must be the id of a user')
  .toLowerCase()
  .optional()
  .meta({ description: 'Lists the users after the one with this id. Links to the next page contain it.' });

const email = z
  .string()
  // A plus that the client did not encode arrives as a space, which no address contains.
  .transform((text) => text.trim().replaceAll(' ', '+'))
  // Nobody has a longer address, or the empty one. Links repeat the address, so keep it short.
  .transform((text) => (Buffer.byteLength(text) > MAX_EMAIL_OCTETS ? '' : text))
  .optional()
  .meta({ description: 'Lists only the user with this email address, in any case; nobody if none has it.' });

const order = z
  .enum(['asc', 'desc'], 'must be asc or desc')
  .optional()
  .default('asc')
  .meta({ description: 'By creation: `asc` is oldest first, `desc` newest first.' });

export const envelopedListQuery = listQuery({ after, order, email }).transform((query) => ({
  ...query,
  limit: MAX_LIMIT,
}));

export const bareListQuery = listQuery({
  page: wholeNumber(Number.MAX_SAFE_INTEGER, 1, 'The number of the page. A page after the last one is empty.'),
  limit: wholeNumber(MAX_LIMIT, DEFAULT_LIMIT, 'The number of users per page.'),
  after,
  order,
  email,
});

function listQuery<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  const error = `is not a parameter of this list; its parameters are ${known}`;
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? error : undefined) });
}

/** Parameters are text; the OpenAPI document describes the number. */
function wholeNumber(maximum: number, fallback: number, description: string) {
  return z
    .string()
    .refine((text) => /^[1-9]\d*$/.test(text), 'must be a whole number, at least 1')
    .transform(Number)
    .refine((number) => number <= maximum, `must be at most ${maximum}`)
    .optional()
    .default(fallback)
    .meta({ type: 'integer', minimum: 1, maximum, default: fallback, description });
}
