import * as z from 'zod/mini';
import type { Right } from '../auth/caller.ts';
import { isNumber } from '../input/exact-json.ts';
import { isDate, toUtc } from '../input/time.ts';
import type { Criterion } from '../users/criteria.ts';
import type { OwnField } from '../users/fields/declaration.ts';

/** Query parameters of a list that form one criterion. */
export type ListQuery = {
  parameters: Record<string, z.ZodMiniType>;
  /** `read` if the caller already knows the id or a unique value. */
  right: Extract<Right, 'read' | 'list'>;
  /** `values`: parsed parameters of the list. Throws BAD_USER_INPUT. */
  toCriterion(values: Record<string, unknown>): Criterion | undefined;
};

type Parameter<Value> = Pick<ListQuery, 'right'> & {
  name: string;
  value: z.ZodMiniType<Value>;
  toCriterion: (value: Value) => Criterion;
};

/** Creates a criterion of one parameter. */
export const createListQuery = <Value>({ name, right, value, toCriterion }: Parameter<Value>): ListQuery => ({
  parameters: { [name]: z.optional(value) },
  right,
  toCriterion: ({ [name]: value }) => (value === undefined ? undefined : toCriterion(value as Value)), // `value` has parsed it.
});

export const ONLY_ONCE = 'must be given only once';

/** Rejects repeated parameters, which arrive as an array. */
export const parameter = z.string(ONLY_ONCE);

/** Restores a plus, which arrives as a space if it was not encoded. Addresses contain no spaces. */
export const readEmail = (text: string): string => text.trim().replaceAll(' ', '+');

/** Returns a text that is not of the type unchanged. */
export function readValue(type: OwnField['type'], text: string): string | number {
  if (type === 'integer' || type === 'number') return isNumber(text) ? Number(text) : text;
  if (type !== 'dateTime') return text;
  // Restore the plus of the offset, which arrives as a space if it was not encoded.
  return toUtc(text.replace(' ', '+')) ?? text;
}

/** A date means the start of that day in UTC. */
export const time = parameter.check(
  z.overwrite((text) => text.replace(' ', '+')), // An unencoded plus arrives as a space.
  z.toUpperCase(),
  z.refine(
    (text) => isDate(text) || toUtc(text) !== undefined,
    'must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z, in the years 0001 to 9999 in UTC',
  ),
);
