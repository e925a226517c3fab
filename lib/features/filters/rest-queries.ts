import * as z from 'zod/mini';
import { invalidInput } from '../../errors.ts';
import { isNumber } from '../../input/exact-json.ts';
import { createListQuery, describeParameter, type ListQuery, ONLY_ONCE, parameter } from '../../rest/list-query.ts';
import type { OwnField } from '../../users/fields/declaration.ts';
import {
  type Bounds,
  type FilterValue,
  filterCriterion,
  MAX_VALUES,
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
      keywords: {
        type: 'array',
        items: describeValue(field),
        maxItems: MAX_VALUES,
        description: `Lists only users with this ${field.list ? `value in ${field.name}` : field.name}. Repeat the parameter for any of up to ${MAX_VALUES} values.`,
      },
    }),
  );

const MEANINGS = { gte: 'at least', gt: 'above', lte: 'at most', lt: 'below' };

const rangeQueries = rangeFields.map((field): ListQuery => {
  const { name } = field;
  const bounds = OPERATORS.map((operator) => [
    `${name}.${operator}`,
    describeParameter(parameter, {
      ...describeValue(field),
      description: `Lists only users with a ${name} ${MEANINGS[operator]} this value, in the order of ${name}.`,
    }),
  ]);
  const exists = describeParameter(parameter, {
    type: 'boolean',
    description: `\`false\` lists only users without a ${name}, \`true\` only those with one.${field.sort ? '' : ' Needs another condition.'}`,
  });
  return {
    right: 'list',
    parameters: { ...(field.sort ? Object.fromEntries(bounds) : {}), [`${name}.exists`]: exists },
    toCriterion(values) {
      const sent = [...OPERATORS, 'exists'].flatMap((operator) => {
        const text = values[`${name}.${operator}`];
        const type = operator === 'exists' ? 'boolean' : field.type;
        return text === undefined
          ? []
          : [[operator, parseText({ ...field, type }, String(text), `${name}.${operator}`)]];
      });
      return sent.length > 0 ? rangeCriterion(field, Object.fromEntries(sent) as Bounds) : undefined; // Has only operators.
    },
  };
});

function describeValue({ type, enum: choices }: OwnField): object {
  if (choices) return { type: type === 'integer' || type === 'number' ? type : 'string', enum: [...choices] };
  switch (type) {
    case 'boolean':
    case 'integer':
    case 'number':
      return { type };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'dateTime':
      return { type: 'string', format: 'date-time' };
    default:
      return { type: 'string' };
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
  keywords: {
    type: 'string',
    enum: [...sortNames],
    description:
      'Sorts users by this value. Text ignores case and accents. Users without a value come last. Users with equal values are in creation order.',
  },
});

export const filterAndSortQueries: readonly ListQuery[] = [
  ...filterQueries,
  ...rangeQueries,
  ...(sortNames.length > 0 ? [sortQuery] : []),
];
