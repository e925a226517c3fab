import { domainToASCII } from 'node:url';
import * as z from 'zod';
import { userIdOf } from '../dynamodb/keys.ts';

/** What REST shows of a user, and what GraphQL adds. Times are ISO 8601 in UTC; `version` counts from 1. */
export type User = { id: string; name: string; email: string; createdAt: string; updatedAt: string; version: number };

/** Stored items may hold more than this: what a later version adds, an earlier one passes over. */
const stored = z.object({
  pk: z.string(),
  name: z.string(),
  email: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
});

export function parseUser(item: unknown): User {
  const { pk, ...fields } = stored.parse(item);
  return { id: userIdOf(pk), ...fields };
}

/** Code points, so that an emoji counts once. */
const codePoints = (text: string) => [...text].length;

export const plainText = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .refine((text) => codePoints(text) <= most, `must have at most ${most} characters`)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

const LOCAL = /^[^\p{Cc}\p{Cf}\p{Z}\p{Cs}"(),:;<>@[\\\].]+(\.[^\p{Cc}\p{Cf}\p{Z}\p{Cs}"(),:;<>@[\\\].]+)*$/u;
const DOMAIN_TYPED = /^[a-z0-9.\-\u{80}-\u{10ffff}]+$/iu;
const DOMAIN_ASCII = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** RFC 5321 section 4.1.2 without quoted forms and address literals, widened to Unicode by RFC 6531 section 3.3. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 0) return false;
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (Buffer.byteLength(local) > 64 || !LOCAL.test(local) || !DOMAIN_TYPED.test(domain)) return false;
  return DOMAIN_ASCII.test(domainToASCII(domain));
}

const email = z
  .string()
  .trim()
  .refine((text) => Buffer.byteLength(text) <= 254, 'must have at most 254 octets')
  .refine(isEmail, 'must be an email address')
  .meta({
    format: 'idn-email',
    maxLength: 254,
    description: 'At most 254 octets, trimmed, kept as typed. Unique without regard to the case of letters.',
    examples: ['ada@example.org'],
  });

/** The one spelling that stands for all spellings of an address: what a claim is keyed by. */
export function canonicalEmail(typed: string): string {
  const text = typed.normalize('NFC').toLowerCase().normalize('NFC');
  const at = text.lastIndexOf('@');
  return `${text.slice(0, at)}@${domainToASCII(text.slice(at + 1))}`;
}

/** Undefined for what is no address, and so nobody's. */
export const parseEmail = (text: string): string | undefined => email.safeParse(text).data;

const name = plainText(256).meta({
  maxLength: 256,
  description: 'Trimmed, without control characters.',
  examples: ['Ada Lovelace'],
});

/** The versions that a write may start from: one, or any of those that an If-Match lists. None given: any. */
export const ifVersion = z.array(z.int()).min(1).max(100).optional();

export const createUserInput = z.strictObject({ name, email });
export const replaceUserInput = z.strictObject({ id: z.string(), name, email, ifVersion });
export const updateUserInput = z.strictObject({
  id: z.string(),
  name: name.optional(),
  email: email.optional(),
  ifVersion,
});
export const deleteUserInput = z.strictObject({ id: z.string(), ifVersion });
