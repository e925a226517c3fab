import * as z from 'zod/mini';
import { ownFieldQueries } from '../features/own-fields/rest-queries.ts';
import { searchQuery } from '../features/search/rest-query.ts';
import { selectOne } from '../users/list.ts';
import { findUserByEmail } from '../users/read.ts';
import { type ListQuery, parameter } from './list-query.ts';

const MAX_EMAIL_OCTETS = 254;

const emailQuery: ListQuery = {
  name: 'email',
  schema: z.optional(z.pipe(parameter, z.transform(normalizeEmail))).register(z.globalRegistry, {
    description: 'Lists only the user with this email address, in any case; nobody if none has it.',
  }),
  select: (email) => selectOne({ email }, () => findUserByEmail(email)),
};

function normalizeEmail(text: string): string {
  // A plus that the client did not encode arrives as a space, which no address contains.
  const address = text.trim().replaceAll(' ', '+');
  // Nobody has a longer address, or the empty one. Links repeat the address, so keep it short.
  return Buffer.byteLength(address) > MAX_EMAIL_OCTETS ? '' : address;
}

/** In the order of the OpenAPI document. */
export const listQueries: readonly ListQuery[] = [emailQuery, ...ownFieldQueries, searchQuery];
