import * as z from 'zod/mini';
import { isNumber } from '../../input/exact-json.ts';
import { createListQuery, type ListQuery, ONLY_ONCE, parameter } from '../../rest/list-query.ts';
import type { OwnField } from '../../users/fields/declaration.ts';
import { type FilterValue, filterCriterion, findFilterIssue, sortCriterion } from './criteria.ts';
import { filterFields, sortNames } from './entries.ts';

/** Skips unique fields, because the parameter of a unique field looks up one user. */
const filterQueries = filterFields
  .filter(({ unique }) => !unique)
  .map((field) =>
    createListQuery({
      name: field.name,
      right: 'list',
      value: filterValueSchema(field),
      toCriterion: (value) => filterCriterion(field, value),
    }),
  );

export function filterValueSchema(field: OwnField): z.ZodMiniType<FilterValue> {
  return parseText(field).check(({ value, issues }) => {
    const message = findFilterIssue(field, value);
    if (message) issues.push({ code: 'custom', input: value, message });
  });
}

function parseText({ type }: OwnField): z.ZodMiniType<FilterValue> {
  switch (type) {
    case 'boolean':
      return z.pipe(
        parameter.check(z.refine((text) => text === 'true' || text === 'false', 'must be true or false')),
        z.transform((text) => text === 'true'),
      );
    case 'integer':
      return z.pipe(
        parameter.check(z.refine((text) => /^-?(0|[1-9]\d{0,15})$/.test(text), 'must be a whole number')),
        z.transform(Number),
      );
    case 'number':
      return z.pipe(parameter.check(z.refine(isNumber, 'must be a number')), z.transform(Number));
    default:
      return parameter;
  }
}

const sortNamesText = sortNames.join(', ');

const sortQuery = createListQuery({
  name: 'sort',
  right: 'list',
  value: z.enum(sortNames, {
    error: ({ input }) => (Array.isArray(input) ? ONLY_ONCE : `must be one of ${sortNamesText}`),
  }),
  toCriterion: sortCriterion,
});

export const filterAndSortQueries: readonly ListQuery[] = [
  ...filterQueries,
  ...(sortNames.length > 0 ? [sortQuery] : []),
];
