import type { FilterValue } from '../../../lib/features/filters/criteria.ts';
import { filterFields } from '../../../lib/features/filters/entries.ts';
import { filterValueSchema } from '../../../lib/features/filters/rest-queries.ts';

/** Parses conditions such as `plan=pro`. Throws for an invalid one. */
export function parseFilter(conditions: readonly string[]): Record<string, FilterValue> {
  const filter = new Map<string, FilterValue>();
  for (const condition of conditions) {
    const [, name, text = ''] = /^([^=]+)=(.*)$/s.exec(condition) ?? [];
    if (name === undefined) throw new Error(`--filter ${condition} has no value: write it as plan=pro`);
    const field = filterFields.find((each) => each.name === name);
    if (!field) throw new Error(`Users cannot be filtered by ${name}. ${describeFields()}`);
    if (filter.has(name)) throw new Error(`--filter ${name} is set twice: a filter has one value`);
    const { data, error } = filterValueSchema(field).safeParse(text);
    if (data === undefined)
      throw new Error(`--filter ${condition}: ${name} ${error?.issues[0]?.message}. ${describeFields()}`);
    filter.set(name, data);
  }
  return Object.fromEntries(filter);
}

const describeFields = (): string =>
  filterFields.length > 0
    ? `Fields with a filter: ${filterFields.map(({ name }) => name).join(', ')}`
    : 'No field is declared with "filter": true';
