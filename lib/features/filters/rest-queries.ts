import * as z from 'zod/mini';
import { invalidInput } from '../../errors.ts';
import { isNumber } from '../../input/exact-json.ts';
import { createListQuery, type ListQuery, ONLY_ONCE, parameter } from '../../rest/list-query.ts';
import type { OwnField } from '../../users/fields/declaration.ts';
import { membershipField } from '../../users/fields/values.ts';
import { memberCriterion } from '../groups/member-criterion.ts';
import {
  type Bounds,
  type FilterValue,
  filterCriterion,
  OPERATORS,
  rangeCriterion,
  sortCriterion,
} from './criteria.ts';
import { filterFields, rangeFields, sortNames } from './entries.ts';

/** Parses the text of a value. Throws BAD_USER_INPUT, naming the parameter. */
export function parseText({ type }: OwnField, text: string, name: string): FilterValue {
  switch (type) {
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw invalidInput([name], 'must be true or false');
      return text === 'true';
    case 'integer':
      if (!/^-?(0|[1-9]\d{0,15})$/.test(text)) throw invalidInput([name], 'must be a whole number');
      return Number(text);
    case 'number':
      if (!isNumber(text)) throw invalidInput([name], 'must be a number');
      return Number(text);
    case 'dateTime':
      return text.replace(' ', '+'); // An unencoded plus arrives as a space.
    default:
      return text;
  }
}

/** Skips unique fields, because the parameter of a unique field looks up one user. */
const filterQueries = filterFields
  .filter(({ unique }) => !unique)
  .map((field) =>
    createListQuery({
      name: field.name,
      right: 'list',
      value: z.union([z.string(), z.array(z.string())]),
      toCriterion: (sent) =>
        filterCriterion(
          field,
          [sent].flat().map((text) => parseText(field, text, field.name)),
        ),
    }),
  );

const rangeQueries = rangeFields.map((field): ListQuery => {
  const operators = field.sort ? [...OPERATORS, 'exists' as const] : ['exists' as const];
  const nameParameter = (operator: keyof Bounds) => `${field.name}.${operator}`;
  return {
    right: 'list',
    parameters: Object.fromEntries(operators.map((operator) => [nameParameter(operator), z.optional(parameter)])),
    toCriterion(values) {
      const sent = operators.flatMap((operator) => {
        const name = nameParameter(operator);
        const text = values[name];
        const type = operator === 'exists' ? 'boolean' : field.type;
        return text === undefined ? [] : [[operator, parseText({ ...field, type }, String(text), name)]];
      });
      return sent.length > 0 ? rangeCriterion(field, Object.fromEntries(sent) as Bounds) : undefined; // Has only operators.
    },
  };
});

const memberQuery: ListQuery = {
  right: 'list',
  parameters: { group: z.optional(parameter), role: z.optional(parameter) },
  toCriterion: ({ group, role }) => memberCriterion({ group, role } as Record<string, string | undefined>), // `parameter` is a text.
};

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
  ...rangeQueries,
  ...(membershipField ? [memberQuery] : []),
  ...(sortNames.length > 0 ? [sortQuery] : []),
];
