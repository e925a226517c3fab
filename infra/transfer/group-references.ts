import * as z from 'zod/mini';
import { invalidInput } from '../../lib/errors.ts';
import { findJsonIssues } from '../../lib/input/exact-json.ts';
import { membershipField } from '../../lib/users/fields/values.ts';

/** A membership in a file. `id` is an id or an external id. Either `id` or `externalId` is set. */
export type GroupReference = { id?: string | undefined; externalId?: string | undefined; role?: string | undefined };

/** Undefined if the deployment publishes no roles. */
const roles = membershipField?.roles;

/** Characters of the longest external id. */
const MAX_LENGTH = 255;

const name = z
  .string()
  .check(z.minLength(1, 'must not be empty'), z.maxLength(MAX_LENGTH, `must have at most ${MAX_LENGTH} characters`));

const reference = z
  .strictObject({
    id: z.optional(name),
    externalId: z.optional(name),
    role: roles
      ? z._default(z.enum(roles, `must be one of ${roles.join(', ')}`), roles[0] ?? '')
      : z.optional(z.string()),
  })
  .check(
    z.refine(
      ({ id, externalId }) => (id === undefined) !== (externalId === undefined),
      'must have either id or externalId',
    ),
  );

/** A JSON list of memberships. Its items may be texts, and so may the whole value. */
export const referencesSchema = z.pipe(
  z.pipe(
    z.unknown(),
    z.transform((value) => (typeof value === 'string' ? splitReferences(value) : value)),
  ),
  z.array(
    z.pipe(
      z.pipe(
        z.unknown(),
        z.transform((item) => (typeof item === 'string' ? parseReference(item) : item)),
      ),
      reference,
    ),
  ),
);

const SEPARATOR = ';';
const ROLE_SEPARATOR = ':';

/** Reads a cell such as `acme:admin;globex`, or JSON. Throws BAD_USER_INPUT for inexact JSON. */
export function parseReferences(field: string, text: string): unknown {
  if (!text.startsWith('[')) return splitReferences(text).map(parseReference);
  try {
    const value: unknown = JSON.parse(text);
    for (const { path, message } of findJsonIssues(text)) throw invalidInput([field, ...path], message);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidInput([field], `is not JSON: ${error.message}`);
  }
}

const splitReferences = (text: string): string[] =>
  text
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '');

function parseReference(text: string): GroupReference {
  const { before, after } = splitRole(text);
  return after === undefined ? { id: text.trim() } : { id: before.trim(), role: after };
}

/** Matches a role of any deployment. */
const ROLE = /^[A-Za-z][\w-]{0,31}$/;

/** External ids may contain colons, so only a role ends a reference. */
function splitRole(text: string): { before: string; after?: string } {
  const at = text.lastIndexOf(ROLE_SEPARATOR);
  const role = text.slice(at + 1).trim();
  const isRole = at > 0 && (roles ? roles.includes(role) : ROLE.test(role));
  return isRole ? { before: text.slice(0, at), after: role } : { before: text };
}

/** Returns a text that `parseReferences` reads as the same references. */
export function formatReferences(references: readonly GroupReference[]): string {
  const texts = references.map(formatReference);
  return texts.every((text) => text !== undefined) ? texts.join(SEPARATOR) : JSON.stringify(references);
}

/** Undefined if the text would be read as another reference. */
function formatReference({ id, externalId, role }: GroupReference): string | undefined {
  const text = id ?? externalId ?? '';
  if (text !== text.trim() || text.includes(SEPARATOR) || text.startsWith('[')) return undefined;
  const isDefault = role === undefined || role === roles?.[0];
  return isDefault && splitRole(text).after === undefined ? text : `${text}${ROLE_SEPARATOR}${role}`;
}

/** Names the group as the file does. */
export const describeReference = ({ id, externalId }: GroupReference): string => JSON.stringify(id ?? externalId);
