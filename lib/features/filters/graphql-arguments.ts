import { invalidInput } from '../../errors.ts';
import type { Criterion } from '../../users/criteria.ts';
import { membershipField } from '../../users/fields/values.ts';
import { memberCriterion } from '../groups/member-criterion.ts';
import { type Bounds, type FilterValue, filterCriterion, rangeCriterion, sortCriterion } from './criteria.ts';
import { filterFields, rangeFields, sortNames } from './entries.ts';
import { rangeName } from './keys.ts';

type Value = FilterValue | Date;

/** Scalars of GraphQL parse times to `Date`. Null is the same as no value. */
const toText = (value: Value | null): FilterValue | undefined =>
  value instanceof Date ? value.toISOString() : (value ?? undefined);

/** Throws BAD_USER_INPUT. */
export function parseFilter(filter: object): Criterion[] {
  const members = new Map<string, unknown>(Object.entries(filter));
  // The GraphQL schema declares the types of the members.
  const filters = filterFields.flatMap((field) => {
    const values = members.get(field.name) as Value | Value[] | null | undefined;
    if (values === undefined || values === null) return [];
    const texts = [values].flat().flatMap((value) => toText(value) ?? []);
    return [filterCriterion(field, texts, ['filter', field.name])];
  });
  const ranges = rangeFields.flatMap((field) => {
    const name = rangeName(field.name);
    const sent = Object.entries((members.get(name) ?? {}) as Record<string, Value | null>);
    const bounds = sent.flatMap(([operator, value]) => (value === null ? [] : [[operator, toText(value)]]));
    if (bounds.length === 0) return [];
    return [rangeCriterion(field, Object.fromEntries(bounds) as Bounds, (operator) => ['filter', name, operator])];
  });
  // The GraphQL schema declares them as texts.
  const [group, role] = [members.get('group'), members.get('role')] as (string | null | undefined)[];
  const member = membershipField && memberCriterion({ group, role }, (name) => ['filter', name]);
  return [...filters, ...ranges, ...(member ? [member] : [])];
}

/** Throws BAD_USER_INPUT. */
export function parseSort(name: string): Criterion {
  if (sortNames.includes(name)) return sortCriterion(name);
  throw invalidInput(['sort'], 'is turned off by the setting sortByName');
}
