import '../browser-globals.ts';
import { beforeEach, expect, test } from 'vitest';
import type { Conditions } from '../../../../../infra/web/console/api/search.ts';
import { offer } from '../../../../../infra/web/console/offer.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';
import type { Route } from '../../../../../infra/web/console/route.ts';
import { findColumnOrder, findOrder, isSortable, listOrders } from '../../../../../infra/web/console/users/order.ts';

beforeEach(() => {
  offer.set(() => ({ sortByName: true, changes: 'live' }));
  ownFields.set(() => [
    { name: 'seats', type: 'integer', sort: true },
    { name: 'birthday', type: 'date', sort: true },
    { name: 'plan', type: 'string' },
  ]);
});

const route = (order: Route['order']): Route => ({ q: '', filter: {}, order, page: 1, size: 20, previous: [] });
const SEARCH: Conditions = { q: 'ada', filter: {} };
const CHANGED: Conditions = { filter: { changedSince: '2026-01-31' } };

test('name and declared fields can be sorted', () => {
  expect(['name', 'seats', 'birthday', 'plan', undefined].filter(isSortable)).toEqual(['name', 'seats', 'birthday']);
  offer.set(() => ({ sortByName: false, changes: 'live' }));
  expect(isSortable('name')).toBe(false);
});

test.each<[string, Conditions | undefined, ReturnType<typeof findColumnOrder>]>([
  ['createdAt', undefined, { direction: 'desc', next: { sort: undefined, order: 'asc' } }],
  ['name', undefined, { direction: undefined, next: { sort: 'name', order: 'asc' } }],
  ['plan', undefined, { direction: undefined, next: undefined }],
  ['name', { filter: {}, sort: 'name', order: 'asc' }, { direction: 'asc', next: { sort: 'name', order: 'desc' } }],
  ['name', { filter: {}, sort: 'name', order: 'desc' }, { direction: 'desc', next: { sort: 'name', order: 'asc' } }],
  [
    'createdAt',
    { filter: {}, sort: 'name', order: 'asc' },
    { direction: undefined, next: { sort: undefined, order: 'desc' } },
  ],
  ['createdAt', SEARCH, { direction: undefined, next: undefined }],
  ['name', SEARCH, { direction: undefined, next: { sort: 'name', order: 'asc' } }],
  ['createdAt', CHANGED, { direction: undefined, next: undefined }],
  ['updatedAt', CHANGED, { direction: 'asc', next: undefined }],
  ['updatedAt', SEARCH, { direction: undefined, next: undefined }],
  ['updatedAt', { filter: {}, sort: 'name', order: 'asc' }, { direction: undefined, next: undefined }],
  ['updatedAt', undefined, { direction: undefined, next: undefined }],
])('the column %s of a list with %j', (column, conditions, order) => {
  expect(findColumnOrder(column, route('desc'), conditions)).toEqual(order);
});

const listValues = (conditions: Conditions | undefined) =>
  listOrders(conditions).map(({ value, label, list: { sort, order } }) => [value, label, sort, order]);

const SORTED = [
  ['name asc', 'Name, A to Z', 'name', 'asc'],
  ['name desc', 'Name, Z to A', 'name', 'desc'],
  ['seats asc', 'Seats, lowest first', 'seats', 'asc'],
  ['seats desc', 'Seats, highest first', 'seats', 'desc'],
  ['birthday asc', 'Birthday, earliest first', 'birthday', 'asc'],
  ['birthday desc', 'Birthday, latest first', 'birthday', 'desc'],
];

test('all users can be listed by creation and by sortable values', () => {
  expect(listValues(undefined)).toEqual([
    ['desc', 'Newest first', undefined, 'desc'],
    ['asc', 'Oldest first', undefined, 'asc'],
    ...SORTED,
  ]);
  offer.set(() => ({ sortByName: false, changes: 'live' }));
  expect(listValues(undefined).map(([value]) => value)).not.toContain('name asc');
});

test.each([
  [SEARCH, 'By matched word'],
  [CHANGED, 'By last change'],
])('a list with %j has no order by creation', (conditions, label) => {
  expect(listValues(conditions)).toEqual([['', label, undefined, 'desc'], ...SORTED]);
});

test('a list with a range is ordered by its field unless it is searched', () => {
  const filter = { 'seats.gte': '10' };
  expect(listValues({ filter, sort: 'seats', order: 'desc' })).toEqual(SORTED);
  expect(listValues({ filter, q: 'ada' })[0]?.[1]).toBe('By matched word');
  expect(findColumnOrder('createdAt', route('desc'), { filter, sort: 'seats', order: 'desc' }).next).toBeUndefined();
});

test.each<[Conditions | undefined, string]>([
  [undefined, 'asc'],
  [SEARCH, ''],
  [{ filter: { plan: 'pro' }, order: 'desc' }, 'desc'],
  [{ filter: {}, sort: 'name', order: 'desc' }, 'name desc'],
])('the chosen order of a list with %j is %j', (conditions, value) => {
  expect(findOrder(route('asc'), conditions)).toBe(value);
  expect(listOrders(conditions).map((choice) => choice.value)).toContain(value);
});
