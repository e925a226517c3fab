import { environment } from '../../environment.ts';
import { TEXT_VERSION } from '../../input/text.ts';
import type { Derivable, DerivedItem } from '../../users/derived.ts';
import type { OwnField } from '../../users/fields/declaration.ts';
import { ownFields } from '../../users/fields/values.ts';
import {
  countFilterEntries,
  createFilterText,
  encodeSortValue,
  filterListName,
  filterPartition,
  formatSortKey,
  sortPartition,
} from './keys.ts';

/** Fields that lists can be filtered by. */
export const filterFields: readonly OwnField[] = ownFields.filter(({ filter }) => filter);

const sortFields = ownFields.filter(({ sort }) => sort);

/** Lists can be sorted by these: the name, unless a setting turns that off, and fields. */
export const sortNames: readonly string[] = [
  ...(environment.sortsByName ? ['name'] : []),
  ...sortFields.map(({ name }) => name),
];

type Listed = Pick<Derivable, 'name' | 'own'>;

/** The filter texts of the value that readers see, so also of a default: one, or one for each item of a list. */
export function listFilterTexts({ own }: Pick<Listed, 'own'>, field: OwnField): string[] {
  // JSON values are not declared with `filter`.
  const texts = [own[field.name] ?? []]
    .flat()
    .flatMap((value) => (typeof value === 'object' ? [] : (createFilterText(value) ?? [])));
  // A stored list can be longer than its limit, which bounds the items of a transaction.
  return [...new Set(texts)].slice(0, countFilterEntries(field));
}

/** The text that sorts a user by a name of `sortNames`. Undefined if the user has no value. */
export function encodeSortText({ name, own }: Listed, sortName: string): string | undefined {
  const value = sortName === 'name' ? name : own[sortName];
  // Lists and booleans are not declared with `sort`.
  return typeof value === 'string' || typeof value === 'number' ? encodeSortValue(value) : undefined;
}

/** The list entries of a user. They hold keys only. */
export const listListEntries = (user: Derivable): DerivedItem[] => [
  ...filterFields.flatMap((field) =>
    listFilterTexts(user, field).map((text) => ({ key: { pk: filterPartition(field.name, text), sk: user.id } })),
  ),
  ...sortNames.map((name) => ({
    key: { pk: sortPartition(name), sk: formatSortKey(encodeSortText(user, name), user.id) },
  })),
];

/**
 * Describes what decides the entries of each list, by its name. If a description changes, the entries of earlier writes
 * may be wrong until a backfill has completed the list.
 */
export const listDescriptions: Readonly<Record<string, string>> = Object.fromEntries([
  ...filterFields.map((field) => [filterListName(field.name), describeFilter(field)]),
  ...sortNames.map((name) => [name, describeSort(ownFields.find((field) => field.name === name))]),
]);

function describeFilter(field: OwnField): string {
  const { type, list, default: fallback } = field;
  const shown = list ? `up to ${countFilterEntries(field)} of ${type}` : type;
  return fallback === undefined ? shown : `${shown}, default ${JSON.stringify(fallback)}`;
}

/** Without a field, the list is sorted by name. */
function describeSort({ type, default: fallback }: Pick<OwnField, 'type' | 'default'> = { type: 'string' }): string {
  const sorted = type === 'string' ? `string, text version ${TEXT_VERSION}` : type;
  return fallback === undefined ? sorted : `${sorted}, default ${JSON.stringify(fallback)}`;
}
