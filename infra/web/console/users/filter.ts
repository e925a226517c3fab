import type { OwnField, Scalar } from '../../../../lib/users/fields/declaration.ts';
import type { Conditions } from '../api/search.ts';
import { isSearch } from '../api/users.ts';
import { formatTime } from '../format.ts';
import { findField, formatValue, ownFields, parseScalar } from '../own-fields.ts';
import { type Filter, type Route, showList } from '../route.ts';
import { isSortable } from './order.ts';

/** Own fields cannot have these names. */
export const TIMES = ['createdAfter', 'createdBefore', 'changedSince'] as const;

const isFilterable = ({ filter, unique, subject }: OwnField): boolean => Boolean(filter || unique || subject);

/** Values of a choice, or all values of a boolean. Undefined for a typed value. */
export const listChoices = ({ enum: choices, type }: OwnField): readonly Scalar[] | undefined =>
  choices ?? (type === 'boolean' ? [true, false] : undefined);

/** Whether a person types the filter's value. */
export function isTyped(name: string): boolean {
  const field = findField(name);
  return !(TIMES as readonly string[]).includes(name) && !(field && listChoices(field));
}

export const listFilterFields = (): OwnField[] => ownFields.get().filter(isFilterable);

/** Drops unknown filters, because the URL may be an old link. */
function keepKnown(filter: Filter): Filter {
  const names: string[] = [...TIMES, ...listFilterFields().map(({ name }) => name)];
  return Object.fromEntries(Object.entries(filter).filter(([name]) => names.includes(name)));
}

/** Undefined for the list of all users by creation. */
export function findConditions({ q, filter: all, sort: sorted, order }: Route): Conditions | undefined {
  const filter = keepKnown(all);
  const sort = isSortable(sorted) ? sorted : undefined;
  const isSearched = isSearch(q);
  if (!isSearched && !sort && Object.keys(filter).length === 0) return undefined;
  // Unless sorted, a search and `changedSince` have a fixed order.
  const hasOrder = sort !== undefined || !(isSearched || filter.changedSince);
  return { filter, q: isSearched ? q : undefined, sort, order: hasOrder ? order : undefined };
}

/** Whether the service can count the users. It may still return no number for very many. */
export const isCounted = (conditions: Conditions | undefined): boolean =>
  conditions !== undefined && !conditions.q && conditions.filter.changedSince === undefined;

export function isNarrowed(route: Route): boolean {
  const { q, filter = {} } = findConditions(route) ?? {};
  return q !== undefined || Object.keys(filter).length > 0;
}

export function changeFilter({ filter }: Route, changes: Record<string, string | undefined>): void {
  const members = Object.entries({ ...filter, ...changes });
  showList({ filter: Object.fromEntries(members.flatMap(([name, value]) => (value ? [[name, value]] : []))) });
}

export const formatFilterValue = (field: OwnField, value: string): string =>
  formatValue(field, parseScalar(field, value));

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** The API excludes the ends of a period, so the start is 1 ms before the local day. */
export const startOfDay = (day: string): string => new Date(new Date(`${day}T00:00`).getTime() - 1).toISOString();

export function endOfDay(day: string): string {
  const next = new Date(`${day}T00:00`);
  next.setDate(next.getDate() + 1);
  return next.toISOString();
}

export const firstDay = (createdAfter: string): Date => new Date(Date.parse(createdAfter) + 1);
export const lastDay = (createdBefore: string): Date => new Date(Date.parse(createdBefore) - 1);

export function formatPeriod({ createdAfter, createdBefore }: Filter): string | undefined {
  const from = createdAfter && formatDay(firstDay(createdAfter));
  const to = createdBefore && formatDay(lastDay(createdBefore));
  if (from && to) return from === to ? from : `${from} – ${to}`;
  return from ? `since ${from}` : to && `until ${to}`;
}

const formatDay = (time: Date): string => (Number.isNaN(time.getTime()) ? 'Invalid date' : DAY.format(time));

export function formatSince({ changedSince }: Filter): string | undefined {
  if (!changedSince) return undefined;
  const time = new Date(changedSince);
  return Number.isNaN(time.getTime()) ? 'Invalid time' : `since ${formatTime(time)}`;
}
