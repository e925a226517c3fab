import * as z from 'zod/mini';
import type { Caller } from './auth/caller.ts';
import { invalidInput } from './errors.ts';

/** A client's key for a request that it may repeat. It belongs to caller and operation, whichever API carried it. */
export type IdempotencyKey = { key: string; caller: string };

/** Visible ASCII, so that it means the same in a header and in a GraphQL input. */
export const idempotencyKey = z
  .string()
  .check(z.regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters'));

/** `field` is the name of the header or member that holds the key. Throws BAD_USER_INPUT if the caller is unknown. */
export function createIdempotencyKey(field: string, key: string, caller: Caller): IdempotencyKey {
  if (caller === undefined) throw invalidInput([field], 'requires a token with the claim sub or client_id');
  return { key, caller };
}
