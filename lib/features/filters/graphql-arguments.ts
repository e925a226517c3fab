import { invalidInput } from '../../errors.ts';
import type { Criterion } from '../../users/criteria.ts';
import { type FilterValue, filterCriterion, findFilterIssue, sortCriterion } from './criteria.ts';
import { filterFields, sortNames } from './entries.ts';

/** Throws BAD_USER_INPUT. */
export function parseFilter(filter: object): Criterion[] {
  const values = new Map(Object.entries(filter) as [string, FilterValue | null][]); // The GraphQL schema declares these types.
  return filterFields.flatMap((field) => {
    const value = values.get(field.name) ?? undefined;
    if (value === undefined) return [];
    const issue = findFilterIssue(field, value);
    if (issue) throw invalidInput(['filter', field.name], issue);
    return [filterCriterion(field, value)];
  });
}

/** Throws BAD_USER_INPUT. */
export function parseSort(name: string): Criterion {
  if (sortNames.includes(name)) return sortCriterion(name);
  throw invalidInput(['sort'], 'is turned off by the setting sortByName');
}
