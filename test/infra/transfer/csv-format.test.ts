import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRecord, protectCell, unprotectCell } from '../../../infra/transfer/csv-format.ts';
import { countRuns } from '../../setup/seed.ts';

const odd = fc.oneof(
  fc.string({ unit: fc.constantFrom(...`'"=+-@;,|\t\r\n＝x `), maxLength: 8 }),
  fc.string({ unit: fc.constantFrom(...`'0123.,-/eE+;`), maxLength: 14 }),
  fc.string({ unit: 'binary' }),
);

test('each text is restored', () => {
  fc.assert(
    fc.property(odd, (text) => {
      expect(unprotectCell(protectCell(text))).toBe(text);
    }),
    { numRuns: countRuns(20_000) },
  );
});

test.each([
  ['+49 170', "'+49 170"],
  ["'+a@x.de", "''+a@x.de"],
  ['\t=1', "'\t'=1"],
  ['x;=1', "x;'=1"],
  ['x\t@SUM(A1)', "x\t'@SUM(A1)"],
  ['x;"=1', `x;'"=1`],
  ["'Ndrangheta", "'Ndrangheta"],
  ['a+b; c-d', 'a+b; c-d'],
  ['0170123', "'0170123"],
  ["'0170", "''0170"],
  ['491511234567', "'491511234567"],
  ['1.50', "'1.50"],
  ['1e3', "'1e3"],
  ['3/4', "'3/4"],
  ['3-4-26', "'3-4-26"],
  ['1980-04-03', '1980-04-03'],
  ['1980-04-03T12:00:00.000Z', '1980-04-03T12:00:00.000Z'],
  ['17', '17'],
  ['0', '0'],
  ['0170 123', '0170 123'],
])('%j is written as %j', (text, cell) => {
  expect(protectCell(text)).toBe(cell);
});

test('numbers stay numbers', () => {
  expect(formatRecord(['-1', -1, '0.5', 0.5])).toBe("'-1,-1,'0.5,0.5\n");
});

test('no cell is a formula in a spreadsheet that expects semicolons or tabs between cells', () => {
  fc.assert(
    fc.property(odd, odd, (one, other) => {
      const pieces = formatRecord([one, other]).split(/[;\t\r\n]/);
      expect(pieces.filter((piece) => /^["]*[=+\-@＝]/.test(piece))).toEqual([]);
    }),
    { numRuns: countRuns(20_000) },
  );
});
