import { expect, test } from 'vitest';
import { findDateOrder, normalizeLocal } from '../../../infra/transfer/local-values.ts';
import { readRows } from '../../../infra/transfer/rows.ts';

test.each([
  ['24.12.1980', 'dmy', '1980-12-24'],
  ['3.4.1980', 'dmy', '1980-04-03'],
  ['24/12/1980', 'dmy', '1980-12-24'],
  ['12/24/1980', 'mdy', '1980-12-24'],
  ['1980/4/3', undefined, '1980-04-03'],
  ['1980-04-03', undefined, '1980-04-03'],
  ['soon', undefined, 'soon'],
])('the date %s has the order %s and is stored as %s', (text, order, stored) => {
  expect(findDateOrder(text)).toBe(order);
  expect(normalizeLocal('date', text, {})).toBe(stored);
});

test('an ambiguous date needs an order', () => {
  expect(findDateOrder('03/04/1980')).toBe('ambiguous');
  expect(normalizeLocal('date', '03/04/1980', {})).toBe('03/04/1980');
  expect(normalizeLocal('date', '03/04/1980', { dateOrder: 'dmy' })).toBe('1980-04-03');
  expect(normalizeLocal('date', '03/04/1980', { dateOrder: 'mdy' })).toBe('1980-03-04');
});

test('a date with two numbers up to 12 is ambiguous', () => {
  expect(findDateOrder('12/12/1980')).toBe('ambiguous');
  expect(findDateOrder('12/13/1980')).toBe('mdy');
  expect(findDateOrder('13/12/1980')).toBe('dmy');
});

test('spaces around a value do not matter', () => {
  expect(normalizeLocal('date', ' 24.12.1980 ', {})).toBe('1980-12-24');
  expect(normalizeLocal('boolean', ' Ja ', {})).toBe('true');
});

test('a text field keeps a date as typed', () => {
  expect(normalizeLocal('string', '24.12.1980', {})).toBe('24.12.1980');
});

test.each([
  ['Ja', 'true'],
  ['non', 'false'],
  ['SÍ', 'true'],
  ['нет', 'false'],
  ['perhaps', 'perhaps'],
])('%s is stored as %s', (text, stored) => {
  expect(normalizeLocal('boolean', text, {})).toBe(stored);
});

test('first and last names are combined, and empty parts are left out', async () => {
  const csv = 'Vorname,E-Mail,Nachname\nAda,ada@example.org, Lovelace \n,cher@example.org,Cher\n,no@example.org,\n';
  async function* read() {
    yield new TextEncoder().encode(csv);
  }
  const rows = await Array.fromAsync(readRows(read(), { fields: ['name.first', 'email', 'name.last'] }));
  expect(rows).toMatchObject([
    { user: { name: 'Ada Lovelace' } },
    { user: { name: 'Cher' } },
    { issues: [{ message: expect.any(String) }] },
  ]);
});
