import type { OwnField, Scalar } from '../../../../lib/users/fields/declaration.ts';
import type { Conditions } from '../api/search.ts';
import { isSearch } from '../api/users.ts';
import { formatTime } from '../format.ts';
import { findField, findMembershipField, formatValue, labelMember, ownFields, parseScalar } from '../own-fields.ts';
import { type Filter, type Route, showList } from '../route.ts';
import { findRanged, isSortable, listSortFields, RANGE_OPERATORS, readOrder } from './order.ts';

/** Own fields cannot have these names. */
export const TIMES = ['createdAfter', 'createdBefore', 'changedSince'] as const;

export const isFilterable = ({ filter, unique, subject }: OwnField): boolean => Boolean(filter || unique || subject);

/** Values of a choice, or all values of a boolean. Undefined for a typed value. */
export const listChoices = ({ enum: choices, type }: OwnField): readonly Scalar[] | undefined =>
  choices ?? (type === 'boolean' ? [true, false] : undefined);

/** Whether a person types the filter's value. */
export function isTyped(name: string): boolean {
  const field = findField(name);
  const isTime = (TIMES as readonly string[]).includes(name);
  return !isTime && !name.endsWith('.exists') && !(field && listChoices(field));
}

/** Whether the filter bar offers bounds. Texts and times rarely need them. */
export const isRanged = ({ sort, type }: OwnField): boolean =>
  Boolean(sort) && (type === 'integer' || type === 'number' || type === 'date');

export const listOfferedFields = (): OwnField[] =>
  ownFields.get().filter((field) => isFilterable(field) || isRanged(field));

export const listFilterFields = (): OwnField[] => ownFields.get().filter(isFilterable);

/** Names of filters that the list ignores. The URL may be an old link. */
export function listUnknown(filter: Filter): string[] {
  const fields = listFilterFields().map(({ name }) => name);
  const ranges = listSortFields().flatMap(({ name }) => RANGE_OPERATORS.map((operator) => `${name}.${operator}`));
  const members = findMembershipField() ? ['group', ...(filter.group ? ['role'] : [])] : [];
  const names: string[] = [...TIMES, ...members, ...fields, ...fields.map((name) => `${name}.exists`), ...ranges];
  return Object.keys(filter).filter((name) => !names.includes(name));
}

function keepKnown(filter: Filter): Filter {
  const unknown = listUnknown(filter);
  return Object.fromEntries(Object.entries(filter).filter(([name]) => !unknown.includes(name)));
}

/** Undefined for the list of all users by creation. */
export function findConditions(route: Route): Conditions | undefined {
  const { q, filter: all, sort: sorted } = route;
  const filter = keepKnown(all);
  const isSearched = isSearch(q);
  const ranged = isSearched ? undefined : findRanged(filter);
  const sort = isSortable(sorted) ? sorted : ranged;
  if (!isSearched && !sort && Object.keys(filter).length === 0) return undefined;
  // Unless sorted, a search and `changedSince` have a fixed order.
  const hasOrder = sort !== undefined || !(isSearched || filter.changedSince);
  return { filter, q: isSearched ? q : undefined, sort, order: hasOrder ? readOrder(route) : undefined };
}

/** Whether a change of the field may remove users from the list. */
export const dependsOn = (conditions: Conditions | undefined, { name, search, unique }: OwnField): boolean =>
  conditions !== undefined &&
  (Object.keys(conditions.filter).some((each) => each === name || each.startsWith(`${name}.`)) ||
    conditions.sort === name ||
    (conditions.q !== undefined && Boolean(search || unique)));

/** Replaces bounds of the filter that contradict the new ones. */
export const changeBounds = (name: string, from: string, to: string): Record<string, string | undefined> => ({
  [`${name}.gte`]: from,
  [`${name}.lte`]: to,
  ...(from ? { [`${name}.gt`]: undefined } : {}),
  ...(to ? { [`${name}.lt`]: undefined } : {}),
  ...(from || to ? { [`${name}.exists`]: undefined } : {}),
});

export function isNarrowed(route: Route): boolean {
  const { q, filter = {} } = findConditions(route) ?? {};
  return q !== undefined || Object.keys(filter).length > 0;
}

export function changeFilter({ filter }: Route, changes: Record<string, string | string[] | undefined>): void {
  const members = Object.entries({ ...filter, ...changes });
  showList({ filter: Object.fromEntries(members.flatMap(([name, value]) => (value?.length ? [[name, value]] : []))) });
}

export const formatFilterValue = (field: OwnField, values: Filter[string]): string =>
  OR.format([values].flat().map((value) => formatValue(field, parseScalar(field, value))));

const OR = new Intl.ListFormat('en', { type: 'disjunction' });

const SIGNS = { gt: '>', gte: '≥', lt: '<', lte: '≤' };

type Range = { text: string; names: string[] };

/** Ranges of the filter by field, such as "Score ≥ 10 and < 20". */
export function listRanges(all: Filter): Range[] {
  const filter = keepKnown(all);
  return ownFields.get().flatMap((field) => {
    const prefix = `${field.name}.`;
    const names = Object.keys(filter).filter((name) => name.startsWith(prefix));
    const bounds = Object.entries(SIGNS).flatMap(([operator, sign]) => {
      const value = filter[prefix + operator];
      return value === undefined ? [] : [`${sign} ${formatFilterValue(field, value)}`];
    });
    const exists = filter[`${prefix}exists`];
    const presence = exists === undefined ? [] : [exists === 'false' ? 'without a value' : 'with a value'];
    const text = `${labelMember(field.name)} ${[...bounds, ...presence].join(' and ')}`;
    return names.length > 0 ? [{ text, names }] : [];
  });
}

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

const MINUTE_MS = 60_000;

/** In whole minutes, like a typed time. */
export const hoursAgo = (hours: number, now = Date.now()): string =>
  new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS - hours * 60 * MINUTE_MS).toISOString();

/** A time of a damaged link may be repeated, and is shown as invalid. */
export const readTime = (filter: Filter, name: (typeof TIMES)[number]): string | undefined => filter[name]?.toString();

export function formatPeriod(filter: Filter): string | undefined {
  const [createdAfter, createdBefore] = [readTime(filter, 'createdAfter'), readTime(filter, 'createdBefore')];
  const from = createdAfter && formatDay(firstDay(createdAfter));
  const to = createdBefore && formatDay(lastDay(createdBefore));
  if (from && to) return from === to ? from : `${from} – ${to}`;
  return from ? `since ${from}` : to && `until ${to}`;
}

const formatDay = (time: Date): string => (Number.isNaN(time.getTime()) ? 'Invalid date' : DAY.format(time));

export function formatSince(filter: Filter): string | undefined {
  const changedSince = readTime(filter, 'changedSince');
  if (!changedSince) return undefined;
  const time = new Date(changedSince);
  return Number.isNaN(time.getTime()) ? 'Invalid time' : `since ${formatTime(time)}`;
}
