import * as z from 'zod/mini';
import { type ListQuery, parameter } from '../../rest/list-query.ts';
import { selectOne } from '../../users/list.ts';
import { MAX_LENGTH, type OwnField } from './declaration.ts';
import { uniqueFields } from './declared.ts';
import { findUserByField } from './find-user.ts';

/** Each finds the user who has a value of a unique field. Like the email address, the parameter takes any text. */
export const ownFieldQueries: ListQuery[] = uniqueFields.map((field) => ({
  name: field.name,
  schema: z.optional(parameter).register(z.globalRegistry, {
    description: `Lists only the user with this ${field.name}, in any case; nobody if none has it.`,
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
