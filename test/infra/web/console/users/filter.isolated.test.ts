import '../browser-globals.ts';
import { beforeEach, expect, test } from 'vitest';
import { labelExport } from '../../../../../infra/web/console/export/export.ts';
import { offer } from '../../../../../infra/web/console/offer.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';
import type { Route } from '../../../../../infra/web/console/route.ts';
import {
  changeBounds,
  dependsOn,
  endOfDay,
  findConditions,
  firstDay,
  formatFilterValue,
  formatPeriod,
  formatSince,
  hoursAgo,
  isNarrowed,
  isTyped,
  lastDay,
  listFilterFields,
  listOfferedFields,
  listRanges,
  listUnknown,
  startOfDay,
} from '../../../../../infra/web/console/users/filter.ts';

const seats = { name: 'seats', type: 'integer', filter: true, sort: true } as const;

beforeEach(() => {
  offer.set(() => ({ sortByName: true, changes: 'live' }));
  ownFields.set(() => [
    { name: 'plan', type: 'string', filter: true },
    { name: 'memberNumber', type: 'string', unique: true },
    { name: 'sub', type: 'string', subject: true },
    seats,
    { name: 'note', type: 'string' },
    { name: 'score', type: 'number', sort: true },
    { name: 'birthday', type: 'date', sort: true },
  ]);
});

const route = (changes: Partial<Route>): Route => ({
  ...{ q: '', filter: {}, order: 'desc', page: 1, size: 20, previous: [] },
  ...changes,
});

test.each<[string, Partial<Route>, boolean]>([
  ['all users', {}, false],
  ['a filter by another field', { filter: { seats: '1' } }, false],
  ['a filter by the field', { filter: { plan: 'pro' } }, true],
  ['a range of the field', { filter: { 'plan.exists': 'true' } }, true],
  ['a search', { q: 'ada' }, false],
])('a change of the plan may remove users from %s: %s', (_, changes, expected) => {
  const plan = { name: 'plan', type: 'string', filter: true } as const;
  expect(dependsOn(findConditions(route(changes)), plan)).toBe(expected);
});

test('a change of a search field may remove users from a search, and of the sorted field from a sorted list', () => {
  expect(dependsOn(findConditions(route({ q: 'ada' })), { name: 'city', type: 'string', search: true })).toBe(true);
  expect(dependsOn(findConditions(route({ sort: 'seats' })), seats)).toBe(true);
});

test('a link names its unknown filters, and the export says that it ignores them', () => {
  const old = { plan: 'pro', note: 'x', 'plann.gte': '1', 'plan.exists': 'true', 'score.gte': '1', changedSince: 'x' };
  expect(listUnknown(old)).toEqual(['note', 'plann.gte']);
  expect(labelExport(route({ filter: old }))).toBe('Export all matches (without the filter note, plann.gte)');
  expect(labelExport(route({ filter: { plann: 'x' } }))).toBe('Export all users (without the filter plann)');
  expect(labelExport(route({ filter: { plan: 'pro' } }))).toBe('Export all matches');
});

test('the last hours start at a whole minute, like a typed time', () => {
  const now = Date.parse('2026-01-31T12:34:56.789Z');
  expect([1, 24].map((hours) => hoursAgo(hours, now))).toEqual([
    '2026-01-31T11:34:00.000Z',
    '2026-01-30T12:34:00.000Z',
  ]);
});

test('own fields with filter, unique values and the sign-in can be filtered', () => {
  expect(listFilterFields().map(({ name }) => name)).toEqual(['plan', 'memberNumber', 'sub', 'seats']);
});

test.each<[string, Partial<Route>, ReturnType<typeof findConditions>]>([
  ['all users', {}, undefined],
  ['all users, oldest first', { order: 'asc' }, undefined],
  ['a search', { q: 'ada' }, { filter: {}, q: 'ada' }],
  ['a text that is too short to search for', { q: 'a' }, undefined],
  ['a filter', { filter: { plan: 'pro' } }, { filter: { plan: 'pro' }, order: 'desc' }],
  ['an unknown filter', { filter: { note: 'x' } }, undefined],
  ['several values', { filter: { plan: ['pro', 'team'] } }, { filter: { plan: ['pro', 'team'] }, order: 'desc' }],
  [
    'a range, by its field',
    { filter: { plan: 'pro', 'score.gte': '10', 'score.lt': '20' } },
    { filter: { plan: 'pro', 'score.gte': '10', 'score.lt': '20' }, sort: 'score', order: 'desc' },
  ],
  [
    'a range by another field',
    { filter: { 'score.gte': '10' }, sort: 'seats', order: 'asc' },
    { filter: { 'score.gte': '10' }, sort: 'seats', order: 'asc' },
  ],
  ['a search within a range', { q: 'ada', filter: { 'score.gt': '1' } }, { filter: { 'score.gt': '1' }, q: 'ada' }],
  [
    'a missing value of a filter',
    { filter: { plan: 'pro', 'plan.exists': 'false' } },
    { filter: { plan: 'pro', 'plan.exists': 'false' }, order: 'desc' },
  ],
  ['unknown ranges', { filter: { 'plan.gte': 'a', 'note.exists': 'true', 'score.eq': '1', score: '1' } }, undefined],
  [
    'an unknown sort, which keeps the usual order',
    { filter: { plan: 'pro' }, sort: 'gone', order: 'asc' },
    { filter: { plan: 'pro' }, order: 'desc' },
  ],
  ['a sorted list', { sort: 'name', order: 'asc' }, { filter: {}, sort: 'name', order: 'asc' }],
  ['a list sorted by an unknown field', { sort: 'note' }, undefined],
  ['a sorted search', { q: 'ada', sort: 'seats' }, { filter: {}, q: 'ada', sort: 'seats', order: 'desc' }],
  ['changed users', { filter: { changedSince: '2026-01-31' } }, { filter: { changedSince: '2026-01-31' } }],
  [
    'changed users by name',
    { filter: { changedSince: '2026-01-31' }, sort: 'name' },
    { filter: { changedSince: '2026-01-31' }, sort: 'name', order: 'desc' },
  ],
  [
    'a period',
    { filter: { createdAfter: '2026-01-31', createdBefore: '2026-02-01' } },
    { filter: { createdAfter: '2026-01-31', createdBefore: '2026-02-01' }, order: 'desc' },
  ],
])('the address of %s asks for these users', (_, changes, conditions) => {
  expect(findConditions(route(changes))).toEqual(conditions);
  expect(isNarrowed(route(changes))).toBe(
    conditions !== undefined && (conditions.q !== undefined || Object.keys(conditions.filter).length > 0),
  );
});

test('sorting by name needs the setting', () => {
  offer.set(() => ({ sortByName: false, changes: 'live' }));
  expect(findConditions(route({ sort: 'name' }))).toBeUndefined();
});

test('a filter is shown like the value', () => {
  expect(formatFilterValue({ name: 'isStaff', type: 'boolean', filter: true }, 'true')).toBe('Yes');
  expect(formatFilterValue(seats, '012')).toBe('12');
  expect(formatFilterValue({ name: 'plan', type: 'string' }, ['pro', 'team'])).toBe('pro or team');
});

test('a range is shown with its signs, and names its filters', () => {
  const filter = { 'score.lt': '20', plan: 'pro', 'score.gte': '10', 'birthday.gt': '2026-01-31' };
  expect(listRanges(filter)).toEqual([
    { text: 'Score ≥ 10 and < 20', names: ['score.lt', 'score.gte'] },
    { text: 'Birthday > Jan 31, 2026', names: ['birthday.gt'] },
  ]);
  expect(listRanges({ 'score.lte': '5' }).map(({ text }) => text)).toEqual(['Score ≤ 5']);
  expect(listRanges({ 'score.exists': 'false' }).map(({ text }) => text)).toEqual(['Score without a value']);
  expect(listRanges({ 'plan.exists': 'true' }).map(({ text }) => text)).toEqual(['Plan with a value']);
  expect(listRanges({ 'note.gte': '1', createdAfter: '2026-01-31' })).toEqual([]);
});

test('bounds are offered for sorted numbers and days, and replace contradicting ones', () => {
  expect(listOfferedFields().map(({ name }) => name)).toEqual([
    'plan',
    'memberNumber',
    'sub',
    'seats',
    'score',
    'birthday',
  ]);
  expect(changeBounds('score', '1', '2')).toEqual({
    ...{ 'score.gte': '1', 'score.lte': '2' },
    ...{ 'score.gt': undefined, 'score.lt': undefined, 'score.exists': undefined },
  });
  // An unchanged form keeps the bounds that it does not show.
  expect(changeBounds('score', '', '')).toEqual({ 'score.gte': '', 'score.lte': '' });
});

test('views with typed bounds are forgotten at sign-out', () => {
  expect(['score.gte', 'plan', 'score.exists', 'createdAfter'].filter(isTyped)).toEqual(['score.gte', 'plan']);
});

test('a period includes its first and last day', () => {
  const [createdAfter, createdBefore] = [startOfDay('2026-01-31'), endOfDay('2026-02-28')];
  expect(new Date(Date.parse(createdAfter) + 1)).toEqual(new Date(2026, 0, 31));
  expect(new Date(createdBefore)).toEqual(new Date(2026, 2, 1));
  expect(firstDay(createdAfter)).toEqual(new Date(2026, 0, 31));
  expect(lastDay(createdBefore)).toEqual(new Date(2026, 1, 28, 23, 59, 59, 999));
  expect(formatPeriod({ createdAfter, createdBefore })).toBe('Jan 31, 2026 – Feb 28, 2026');
  expect(formatPeriod({ createdAfter, createdBefore: endOfDay('2026-01-31') })).toBe('Jan 31, 2026');
  expect(formatPeriod({ createdAfter })).toBe('since Jan 31, 2026');
  expect(formatPeriod({ createdBefore })).toBe('until Feb 28, 2026');
  expect(formatPeriod({})).toBeUndefined();
  expect(formatPeriod({ createdAfter: 'soon' })).toBe('since Invalid date');
  expect(formatPeriod({ createdAfter: [createdAfter, createdAfter] })).toBe('since Invalid date');
});

test('the time of a change is shown', () => {
  expect(formatSince({ changedSince: new Date(2026, 0, 31, 9, 5).toISOString() })).toBe('since Jan 31, 2026, 09:05:00');
  expect(formatSince({ changedSince: 'soon' })).toBe('Invalid time');
  expect(formatSince({})).toBeUndefined();
});
