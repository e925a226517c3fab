import { afterEach, expect, test } from 'vitest';
import {
  canReplace,
  describeField,
  describeInvalidJson,
  formatJsonText,
  formatMember,
  formatValue,
  groupFields,
  isSameValue,
  joinLists,
  labelMember,
  normalizeSearched,
  ownFields,
  parseJsonText,
  parseNumber,
  parseScalar,
  type Value,
} from '../../../../infra/web/console/own-fields.ts';
import { INEXACT_NUMBER } from '../../../../lib/input/exact-json.ts';
import type { FieldType, OwnField } from '../../../../lib/users/fields/declaration.ts';

test.each([
  ['nickname', 'Nickname'],
  ['memberNumber', 'Member number'],
  ['vat_id', 'Vat id'],
  ['isVIP', 'Is VIP'],
  ['lastSeenAt', 'Last seen at'],
])('the label of %s is "%s"', (name, label) => {
  expect(labelMember(name)).toBe(label);
});

afterEach(() => ownFields.set(() => []));

test.each<[Partial<OwnField>, Value, Value, boolean]>([
  [{ subject: true }, null, 'a', true],
  [{ subject: true }, 'a', 'a', true],
  [{ subject: true }, 'a', 'b', false],
  [{ subject: true }, 'a', null, false],
  [{ subject: true, list: true }, ['a', 'b'], ['b'], true],
  [{ subject: true, list: true }, ['a'], ['a', 'b'], true],
  [{ subject: true, list: true }, ['a'], ['b'], false],
  [{ subject: true, list: true }, ['a'], null, false],
  [{ required: true }, 'a', 'b', true],
  [{ required: true }, 'a', null, false],
  [{}, 'a', null, true],
])('a field with %j can change from %j to %j: %j', (rules, current, value, expected) => {
  ownFields.set(() => [{ name: 'sub', type: 'string', ...rules }]);
  expect(canReplace('sub', current, value)).toBe(expected);
});

test.each([
  [['a'], ['b'], ['a', 'b'], false],
  [['a', 'b'], ['b', 'c'], ['a', 'b', 'c'], false],
  [['a', 'b'], ['c', 'd'], ['a', 'b', 'c', 'd'], true],
  [['a'], null, ['a'], false],
  [null, ['b'], ['b'], false],
])('a merge joins the logins %j and %j to %j, which are too many: %j', (kept, removed, value, isTooLong) => {
  ownFields.set(() => [{ name: 'sub', type: 'string', subject: true, list: true, maxItems: 3 }]);
  expect(joinLists('sub', kept, removed)).toEqual({ value, isTooLong });
});

test('a merge joins the groups of both, with the role of the kept user', () => {
  ownFields.set(() => [{ name: 'groups', type: 'membership', list: true, maxItems: 2 }]);
  const [one, two, three] = ['1', '2', '3'].map((id) => ({ id, role: 'member' }));
  const kept = [{ id: '1', role: 'admin' }];
  expect(joinLists('groups', kept, [one, two] as Value)).toEqual({ value: [...kept, two], isTooLong: false });
  expect(joinLists('groups', kept, [two, three] as Value)).toMatchObject({ isTooLong: true });
});

test('a merge joins no other lists', () => {
  ownFields.set(() => [
    { name: 'sub', type: 'string', subject: true },
    { name: 'tags', type: 'string', list: true },
  ]);
  expect(joinLists('sub', 'a', 'b')).toBeUndefined();
  expect(joinLists('tags', ['a'], ['b'])).toBeUndefined();
});

test('a form describes what people may do with the field in their own record', () => {
  const field = { name: 'plan', type: 'string' } as const;
  expect(describeField(field)).toBeUndefined();
  expect(describeField({ ...field, description: 'The tariff.', self: 'read' })).toBe(
    'The tariff. The person can see it.',
  );
  expect(describeField({ ...field, self: 'write' })).toBe('The person can change it.');
  expect(describeField({ ...field, subject: true, self: 'hidden' })).toBe(
    'Links the record to a sign-in. It is set once. Hidden from the person.',
  );
  expect(describeField({ ...field, subject: true, list: true })).toBe(
    'Links the record to sign-ins. One of them stays.',
  );
});

test('a declared label is shown instead of the name', () => {
  ownFields.set(() => [{ name: 'vat_id', type: 'string', label: 'VAT number' }]);
  expect([labelMember('vat_id'), labelMember('seat')]).toEqual(['VAT number', 'Seat']);
});

test('fields are ordered: ungrouped, then groups by their first field, then deprecated', () => {
  ownFields.set(() => [
    { name: 'city', type: 'string', group: 'Address' },
    { name: 'plan', type: 'string' },
    { name: 'iban', type: 'string', group: 'Billing' },
    { name: 'fax', type: 'string', group: 'Address', deprecated: 'Use city.' },
    { name: 'street', type: 'string', group: 'Address' },
  ]);
  expect(groupFields().map(({ heading, fields }) => [heading, fields.map(({ name }) => name)])).toEqual([
    [undefined, ['plan']],
    ['Address', ['city', 'street', 'fax']],
    ['Billing', ['iban']],
  ]);
});

const field = (type: FieldType) => ({ name: 'field', type });

test.each([
  ['a text', field('string'), 'ada', 'ada'],
  ['a number', field('number'), 1234.5, '1234.5'],
  ['false', field('boolean'), false, 'No'],
  ['a date, wherever the browser is', field('date'), '1815-12-10', 'Dec 10, 1815'],
  ['a text of a date that is none', field('date'), 'soon', 'soon'],
  ['a list', field('boolean'), [true, false], 'Yes, No'],
  ['no value', field('date'), null, ''],
  ['JSON', field('json'), { a: [1, null] }, '{"a":[1,null]}'],
  ['text of a JSON field', field('json'), 'a', '"a"'],
  ['text that is not JSON yet', field('json'), parseJsonText('{"a"'), '{"a"'],
  ['JSON of a field that had another type', field('string'), { a: 1 }, '{"a":1}'],
])('formats %s', (_, declared, value, text) => {
  expect(formatValue(declared, value)).toBe(text);
});

test('a missing value equals null, and lists are compared by their items', () => {
  expect(isSameValue(undefined, null)).toBe(true);
  expect(isSameValue(['a', 'b'], ['a', 'b'])).toBe(true);
  expect(isSameValue(['a', 'b'], ['b', 'a'])).toBe(false);
  expect(isSameValue(null, false)).toBe(false);
  expect(isSameValue({ a: 1, b: { c: [2], d: 3 } }, { b: { d: 3, c: [2] }, a: 1 })).toBe(true);
  expect(isSameValue({ a: null }, {})).toBe(false);
});

test.each<[string, Value]>([
  ['{ "a": [1, null] }', { a: [1, null] }],
  ['"text"', 'text'],
  [' ', null],
  ['null', null],
])('the JSON text %j is the value %j', (text, value) => {
  expect(parseJsonText(text)).toEqual(value);
  expect(describeInvalidJson(value)).toBeUndefined();
  expect(parseJsonText(formatJsonText(value))).toEqual(value);
});

test('invalid JSON text stays and is reported', () => {
  const value = parseJsonText('{"a": 1,}');
  expect(formatJsonText(value)).toBe('{"a": 1,}');
  expect(describeInvalidJson(value)).toMatch(/^is not JSON: .*position 8/);
  // Invalid text also survives in drafts, which are stored as JSON.
  expect(formatJsonText(JSON.parse(JSON.stringify(value)))).toBe('{"a": 1,}');
  expect(describeInvalidJson(parseJsonText('{"prototype":"x"}'))).toBe('is not allowed to have the key prototype');
  const changed = parseJsonText('{"a":[750727362669608961]}');
  expect([formatJsonText(changed), describeInvalidJson(changed)]).toEqual([
    '{"a":[750727362669608961]}',
    `is not valid: a.0 ${INEXACT_NUMBER}`,
  ]);
  expect(describeInvalidJson(parseJsonText('1e400'))).toBe(`is not valid: ${INEXACT_NUMBER}`);
  expect(describeInvalidJson(parseJsonText('{"a":1,"a":2}'))).toBe('is not valid: a must be given only once');
});

test.each<[FieldType, string, unknown]>([
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  ['boolean', 'yes', 'yes'],
  ['integer', '12', 12],
  ['number', '-1.5', -1.5],
  ['number', '1e400', '1e400'],
  ['number', '0.30000000000000001', '0.30000000000000001'],
  ['number', ' +.5 ', 0.5],
  ['integer', ' ', ' '],
  ['integer', 'many', 'many'],
  ['string', '12', '12'],
  ['date', '2026-01-31', '2026-01-31'],
])('a %s field reads %j as %j', (type, text, value) => {
  expect(parseScalar(field(type), text)).toBe(value);
});

test('a number that is not complete stays a text', () => {
  expect(parseNumber('-')).toBe('-');
  expect(parseNumber('0')).toBe(0);
});

test('a searched value is trimmed, unless the field is exact', () => {
  ownFields.set(() => [
    { name: 'account', type: 'string', unique: 'exact' },
    { name: 'nickname', type: 'string', unique: true },
  ]);
  expect(normalizeSearched('account', ' Ada ')).toBe(' Ada ');
  expect(normalizeSearched('nickname', ' Ada ')).toBe('Ada');
});

test('a member is formatted as its field is declared', () => {
  ownFields.set(() => [
    { name: 'isStaff', type: 'boolean' },
    { name: 'seenAt', type: 'dateTime' },
  ]);
  expect(formatMember('isStaff', true)).toBe('Yes');
  expect(formatMember('seenAt', new Date(2026, 0, 31, 9, 5).toISOString())).toBe('Jan 31, 2026, 09:05:00');
  expect(formatMember('name', 'Ada')).toBe('Ada');
  expect(formatMember('name', undefined)).toBe('');
});
