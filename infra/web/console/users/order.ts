import type { Order } from '../../../../lib/client/client.ts';
import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import type { Conditions } from '../api/search.ts';
import { offer } from '../offer.ts';
import { labelMember, ownFields } from '../own-fields.ts';
import { type Filter, type Route, usualOrder } from '../route.ts';

export const listSortFields = (): OwnField[] => ownFields.get().filter(({ sort }) => sort);

/** A link may name a removed field, or `name` although the setting disables it. */
export const isSortable = (name: string | undefined): boolean =>
  (name === 'name' && offer.get().sortByName) || listSortFields().some((field) => field.name === name);

/** Ignores `order` if `sort` is unknown: the link's order suits the missing field, not the list by creation. */
export const readOrder = ({ sort, order }: Route): Order =>
  sort === undefined || isSortable(sort) ? order : usualOrder(undefined);

type ColumnOrder = {
  direction: Order | undefined;
  next: Pick<Route, 'sort' | 'order'> | undefined;
};

/** `conditions` are undefined for the list of all users. */
export function findColumnOrder(column: string, route: Route, conditions: Conditions | undefined): ColumnOrder {
  const { sort } = conditions ?? {};
  const order = conditions ? conditions.order : readOrder(route);
  const sorting = sort ?? (order ? 'createdAt' : undefined);
  const direction = sorting === column ? order : undefined;
  // Only lists with `changedSince` are ordered by the last change.
  if (column === 'updatedAt') return { direction: order || conditions?.q ? undefined : 'asc', next: undefined };
  const canSort = isSortable(column) || (column === 'createdAt' && hasCreationOrder(conditions));
  if (!canSort) return { direction, next: undefined };
  const named = column === 'createdAt' ? undefined : column;
  const reverse = direction === 'asc' ? 'desc' : 'asc';
  return { direction, next: { sort: named, order: direction ? reverse : usualOrder(named) } };
}

const hasCreationOrder = (conditions: Conditions | undefined): boolean =>
  !conditions?.q && conditions?.filter.changedSince === undefined && !findRanged(conditions?.filter);

export const RANGE_OPERATORS = ['gte', 'gt', 'lte', 'lt', 'exists'];

/** The first field with a range. The service lists the users in its order, unless they are searched or sorted. */
export const findRanged = (filter: Filter = {}): string | undefined =>
  listSortFields().find(({ name }) => RANGE_OPERATORS.some((operator) => filter[`${name}.${operator}`] !== undefined))
    ?.name;

type Choice = { value: string; label: string; list: Pick<Route, 'sort' | 'order'> };

export function listOrders(conditions: Conditions | undefined): Choice[] {
  const fixed = conditions?.q ? 'By matched word' : 'By last change';
  const hasFixed = conditions?.q || !findRanged(conditions?.filter);
  const byCreation: Choice[] = hasCreationOrder(conditions)
    ? [
        { value: 'desc', label: 'Newest first', list: { sort: undefined, order: 'desc' } },
        { value: 'asc', label: 'Oldest first', list: { sort: undefined, order: 'asc' } },
      ]
    : hasFixed
      ? [{ value: '', label: fixed, list: { sort: undefined, order: usualOrder(undefined) } }]
      : [];
  const byName = isSortable('name') ? listDirections('name', 'string') : [];
  return [...byCreation, ...byName, ...listSortFields().flatMap(({ name, type }) => listDirections(name, type))];
}

const DIRECTIONS: Partial<Record<OwnField['type'], [string, string]>> = {
  string: ['A to Z', 'Z to A'],
  date: ['earliest first', 'latest first'],
  dateTime: ['earliest first', 'latest first'],
};

function listDirections(name: string, type: OwnField['type']): Choice[] {
  const [up, down] = DIRECTIONS[type] ?? ['lowest first', 'highest first'];
  const label = labelMember(name);
  return [
    { value: `${name} asc`, label: `${label}, ${up}`, list: { sort: name, order: 'asc' } },
    { value: `${name} desc`, label: `${label}, ${down}`, list: { sort: name, order: 'desc' } },
  ];
}

export function findOrder(route: Route, conditions: Conditions | undefined): string {
  if (!conditions) return readOrder(route);
  return [conditions.sort, conditions.order].filter(Boolean).join(' ');
}
