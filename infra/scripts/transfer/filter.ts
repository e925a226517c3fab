import * as z from 'zod/mini';
import { filterAndSortQueries } from '../../../lib/features/filters/rest-queries.ts';
import { parseInput } from '../../../lib/input/parsing.ts';
import type { Criterion } from '../../../lib/users/criteria.ts';

const queries = filterAndSortQueries.filter(({ parameters }) => !('sort' in parameters));
const parameters: Record<string, z.ZodMiniType> = Object.assign({}, ...queries.map((query) => query.parameters));

/** Parses conditions such as `plan=pro&plan=team` and `score.gte=10`, like the query of a list. Throws for invalid ones. */
export function parseFilter(conditions: readonly string[]): Criterion[] {
  try {
    const values = parseInput(z.object(parameters), readParameters(conditions));
    return queries.flatMap(({ toCriterion }) => toCriterion(values) ?? []);
  } catch (error) {
    throw new Error(`--filter ${(error as Error).message}`);
  }
}

/** Returns an array for a repeated parameter, like API Gateway. */
function readParameters(conditions: readonly string[]): Record<string, string | string[]> {
  const sent = new Map<string, string[]>();
  for (const condition of conditions) {
    if (!condition.includes('=')) throw new Error(`${condition} has no value: write it as plan=pro`);
    for (const [name, text] of new URLSearchParams(condition.replaceAll('+', '%2B'))) {
      if (!(name in parameters)) throw new Error(`${name} is no condition. ${describeConditions()}`);
      sent.set(name, [...(sent.get(name) ?? []), text]);
    }
  }
  return Object.fromEntries(
    [...sent].map(([name, [text = '', ...more]]) => [name, more.length > 0 ? [text, ...more] : text]),
  );
}

function describeConditions(): string {
  const names = Object.keys(parameters);
  if (names.length > 0) return `The conditions are ${names.join(', ')}`;
  return 'No field is declared with "filter": true or "sort": true';
}
