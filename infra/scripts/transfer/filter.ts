import { filterCriterion, OPERATORS, rangeCriterion } from '../../../lib/features/filters/criteria.ts';
import { filterFields, rangeFields } from '../../../lib/features/filters/entries.ts';
import { rangeName } from '../../../lib/features/filters/keys.ts';
import { parseText } from '../../../lib/features/filters/rest-queries.ts';

/**
 * Parses conditions such as `plan=pro&plan=team` and `score.gte=10`, like the query of a list. Returns the argument
 * `filter` of GraphQL. Throws for an invalid one.
 */
export function parseFilter(conditions: readonly string[]): Record<string, unknown> {
  const sent = conditions.flatMap((condition) => {
    const parameters = [...new URLSearchParams(condition.replaceAll('+', '%2B'))];
    if (!condition.includes('=')) throw new Error(`--filter ${condition} has no value: write it as plan=pro`);
    return parameters.map(([name, text]) => ({ name, text }));
  });
  const find = (parameter: string) => sent.filter(({ name }) => name === parameter).map(({ text }) => text);
  const filter: Record<string, unknown> = {};
  const known = new Set<string>();
  for (const field of filterFields) {
    known.add(field.name);
    const values = find(field.name).map((text) => parseText(field, text, field.name));
    if (values.length === 0) continue;
    filterCriterion(field, values);
    filter[field.name] = values;
  }
  for (const field of rangeFields) {
    const operators = [...(field.sort ? OPERATORS : []), 'exists' as const];
    const bounds = operators.flatMap((operator) => {
      const parameter = `${field.name}.${operator}`;
      known.add(parameter);
      const [text, another] = find(parameter);
      if (another !== undefined) throw new Error(`--filter ${parameter} is set twice`);
      const type = operator === 'exists' ? 'boolean' : field.type;
      return text === undefined ? [] : [[operator, parseText({ ...field, type }, text, parameter)]];
    });
    if (bounds.length === 0) continue;
    rangeCriterion(field, Object.fromEntries(bounds));
    filter[rangeName(field.name)] = Object.fromEntries(bounds);
  }
  const unknown = sent.find(({ name }) => !known.has(name));
  if (unknown) throw new Error(`Users cannot be filtered by ${unknown.name}. ${describeConditions(known)}`);
  return filter;
}

const describeConditions = (known: ReadonlySet<string>): string =>
  known.size > 0 ? `Conditions: ${[...known].join(', ')}` : 'No field is declared with "filter": true or "sort": true';
