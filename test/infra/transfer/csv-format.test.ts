import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRecord, protectCell, unprotectCell } from '../../../infra/transfer/csv-format.ts';
import { countRuns } from '../../setup/seed.ts';

const odd = fc.oneof(
  fc.string({ unit: fc.constantFrom(...`'"=+-@;,|\t\r\n＝x `), maxLength: 8 }),
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
])('%j is written as %j', (text, cell) => {
  expect(protectCell(text)).toBe(cell);
});

test('numbers stay numbers', () => {
  expect(formatRecord(['-1', -1])).toBe("'-1,-1\n");
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
