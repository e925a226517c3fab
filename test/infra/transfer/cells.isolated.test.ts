import { expect, test, vi } from 'vitest';

// lib/ reads the fields on import.
vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});
const { INEXACT_NUMBER } = await import('../../../lib/input/exact-json.ts');
const { formatCell, parseCell } = await import('../../../infra/transfer/cells.ts');

test.each([
  ['birthday', '   ', undefined],
  ['birthday', ' 1815-12-10 ', '1815-12-10'],
  ['nickname', ' Ada ', ' Ada '],
  ['age', ' 36 ', 36],
  ['age', '', undefined],
  ['age', '0x24', '0x24'],
  ['score', '1.5e1', 15],
  ['isStaff', 'TRUE', true],
  ['isStaff', 'False', false],
  ['isStaff', 'yes', 'yes'],
  ['tags', 'a | b', ['a', 'b']],
  ['tags', '["a|b", " c "]', ['a|b', ' c ']],
  ['tags', '[a', '[a'],
  ['tags', '"vip","news"', ['vip', 'news']],
  ['tags', ' "a,b", "c ""d""" ', ['a,b', 'c "d"']],
  ['tags', '"vip"', ['vip']],
  ['tags', '"a" | b', ['"a"', 'b']],
])('parseCell reads %s from "%s"', (field, text, value) => {
  expect(parseCell(field, text)).toEqual(value);
});

test.each([
  ['score', '0.30000000000000001'],
  ['score', ' 1e-400 '],
  ['age', '750727362669608961'],
])('parseCell rejects %s from "%s"', (field, text) => {
  expect(() => parseCell(field, text)).toThrow(`${field}: ${INEXACT_NUMBER}`);
});

test.each([
  ['age', 36],
  ['isStaff', false],
  ['tags', ['a|b', ' c ']],
  ['nickname', ' Ada '],
])('parseCell reads what formatCell wrote for %s', (field, value) => {
  expect(parseCell(field, String(formatCell(field, value)))).toEqual(value);
});
