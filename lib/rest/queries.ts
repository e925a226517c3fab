import * as z from 'zod/mini';
import { searchQuery } from '../features/search/rest-query.ts';
import { fitsIntoAddress } from '../users/email.ts';
import { MAX_LENGTH, type OwnField } from '../users/fields/declaration.ts';
import { uniqueFields } from '../users/fields/values.ts';
import { selectOne } from '../users/list.ts';
import { findUserByEmail, findUserByField } from '../users/unique-values.ts';
import { type ListQuery, parameter } from './list-query.ts';

const emailQuery: ListQuery = {
  name: 'email',
  right: 'read',
  schema: z.optional(z.pipe(parameter, z.transform(normalizeEmail))).register(z.globalRegistry, {
    description: 'Lists only the user with this email address, in any case; nobody if none has it.',
  }),
  select: (email) => selectOne({ email }, () => findUserByEmail(email)),
};

function normalizeEmail(text: string): string {
  // A plus that the client did not encode arrives as a space, which no address contains.
  const address = text.trim().replaceAll(' ', '+');
  // Nobody has a longer address, or the empty one. Links repeat the address, so keep it short.
  return fitsIntoAddress(address) ? address : '';
}

/** Each finds the user who has a value of a unique field. Like the email address, the parameter takes any text. */
const ownFieldQueries: ListQuery[] = uniqueFields.map((field) => ({
  name: field.name,
  right: 'read',
  schema: z.optional(parameter).register(z.globalRegistry, {
    description: `Lists only the user with ${field.unique === 'exact' ? `exactly this ${field.name}` : `this ${field.name}, in any case`}; nobody if none has it.`,
  }),
  select(text) {
    const value = parseValue(field.type, text);
    return selectOne({ [field.name]: String(value) }, () => findUserByField(field, value));
  },
}));

/** RFC 8259 section 6. JavaScript would read others, too: the empty text as 0. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/i;

/** Texts that no value has find nobody. A number may have any spelling of JSON, and a time any offset; UTC is stored. */
function parseValue(type: OwnField['type'], text: string): string | number {
  // Links repeat the value, so keep it short.
  if ([...text].length > MAX_LENGTH) return '';
  if (type === 'integer' || type === 'number') return NUMBER.test(text) ? Number(text) : text;
  if (type !== 'dateTime') return text;
  // A plus that the client did not encode arrives as a space.
  const time = text.replace(' ', '+');
  return TIME.test(time) && !Number.isNaN(Date.parse(time)) ? new Date(time).toISOString() : text;
}

/** In the order of the OpenAPI document. */
export const listQueries: readonly ListQuery[] = [emailQuery, ...ownFieldQueries, searchQuery];
