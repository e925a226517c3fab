import { environment } from '../../environment.ts';
import { TEXT_VERSION } from '../../input/text.ts';
import { formatEntryKey } from '../../users/entry-keys.ts';
import type { OwnField } from '../../users/fields/declaration.ts';
import { ownFields } from '../../users/fields/values.ts';
import type { Derivable, DerivedItem } from '../../users/user.ts';
import { listMembershipEntries, membershipDescriptions } from '../groups/membership-entries.ts';
import {
  countFilterEntries,
  createFilterText,
  encodeSortValue,
  filterListName,
  filterPartition,
  formatSortText,
  sortPartition,
} from './keys.ts';

export const filterFields: readonly OwnField[] = ownFields.filter(({ filter }) => filter);

const sortFields = ownFields.filter(({ sort }) => sort);

/** Fields with a range, or only with `exists` unless they have `sort`. */
export const rangeFields: readonly OwnField[] = ownFields.filter(({ filter, sort }) => filter || sort);

export const sortNames: readonly string[] = [
  ...(environment.sortsByName ? ['name'] : []),
  ...sortFields.map(({ name }) => name),
];

type Listed = Pick<Derivable, 'name' | 'own'>;

/** Returns the texts that filters find. Uses the value that readers see, which may be the default. */
export function listFilterTexts({ own }: Pick<Listed, 'own'>, field: OwnField): string[] {
  // Skips objects: only `json` fields have them, and these cannot have `filter`.
  const texts = [own[field.name] ?? []]
    .flat()
    .flatMap((value) => (typeof value === 'object' ? [] : (createFilterText(value) ?? [])));
  // Keeps only the declared maximum of values, even of a longer list, because all entries must fit into a transaction.
  return [...new Set(texts)].slice(0, countFilterEntries(field));
}

/** Returns the text by which a list sorts the user. */
export function findSortText({ name, own }: Listed, sortName: string): string {
  const value = sortName === 'name' ? name : own[sortName];
  return formatSortText(typeof value === 'string' || typeof value === 'number' ? encodeSortValue(value) : undefined);
}

export const listListEntries = (user: Derivable): DerivedItem[] => [
  ...filterFields.flatMap((field) =>
    listFilterTexts(user, field).map((text) => ({ key: { pk: filterPartition(field.name, text), sk: user.id } })),
  ),
  ...sortNames.map((name) => ({
    key: { pk: sortPartition(name), sk: formatEntryKey(findSortText(user, name), user.id) },
  })),
  ...listMembershipEntries(user),
];

/**
 * Describes everything that decides a list's entries, by list name. After a change, entries may be wrong until a
 * backfill completes the list.
 */
export const listDescriptions: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(membershipDescriptions),
  ...filterFields.map((field) => [filterListName(field.name), describeFilter(field)]),
  ...sortNames.map((name) => [name, describeSort(ownFields.find((field) => field.name === name))]),
]);

function describeFilter(field: OwnField): string {
  const { type, list, default: fallback } = field;
  const shown = list ? `up to ${countFilterEntries(field)} of ${type}` : type;
  return fallback === undefined ? shown : `${shown}, default ${JSON.stringify(fallback)}`;
}

function describeSort({ type, default: fallback }: Pick<OwnField, 'type' | 'default'> = { type: 'string' }): string {
  const sorted = type === 'string' ? `string, text version ${TEXT_VERSION}` : type;
  return fallback === undefined ? sorted : `${sorted}, default ${JSON.stringify(fallback)}`;
}
