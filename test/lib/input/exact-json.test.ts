import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findJsonIssues, INEXACT_NUMBER, isExactNumber } from '../../../lib/input/exact-json.ts';
import { MAX_LINEAR_GROWTH, measureGrowth } from '../../setup/cpu-growth.ts';

const ONLY_ONCE = 'must be given only once';
const listIssues = (json: string) => [...findJsonIssues(json)].map(({ path, message }) => [path, message]);

test.each([
  ...['0', '-0', '0.000', '0e999', '1.50', '-1e2', '1E+2', '100e-2', '0.1', '0.30000000000000004'],
  ...['9007199254740992', '18014398509481984', '1e21', '1000000000000000000000', '123456789012345680000'],
  ...['5e-324', '1.7976931348623157e308', `1.${'0'.repeat(500)}`, `1${'0'.repeat(300)}`, `0.${'0'.repeat(300)}1`],
])('%s is exact', (literal) => {
  expect(isExactNumber(literal)).toBe(true);
});

test.each([
  ...['9007199254740993', '750727362669608961', '1152921504606846976', '0.30000000000000001', '1.0000000000000001'],
  ...['1e400', '-1e400', '1e-400', '4e-324', '2e99999999999999999999', `0.${'0'.repeat(400)}1`, '1'.repeat(400)],
])('%s is not exact', (literal) => {
  expect(isExactNumber(literal)).toBe(false);
});

/** Few, because fast-check needs seconds for the table of all characters. */
const stringUnit = fc.constantFrom(...'ab01"\\/{}[]:, \n\u0000é\u2028😀', '\ud800');

test('what JSON.stringify writes has no issues', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit }), fc.constantFrom(0, 2), (value, spaces) => {
      expect(listIssues(JSON.stringify(value, undefined, spaces))).toEqual([]);
    }),
  );
});

test.each<[string, unknown[]]>([
  ['1e400', [[[], INEXACT_NUMBER]]],
  [
    '[0, 1e-400, {"a": [[], 9007199254740993]}]',
    [
      [[1], INEXACT_NUMBER],
      [[2, 'a', 1], INEXACT_NUMBER],
    ],
  ],
  ['{"a":{"b":1,"c":{},"b":2},"b":3}', [[['a', 'b'], ONLY_ONCE]]],
  ['{"a": 1, "\\u0061": 2}', [[['a'], ONLY_ONCE]]],
  ['[{"":1 ,"" :2},{"":3}]', [[[0, ''], ONLY_ONCE]]],
  ['{"__proto__":1,"__proto__":2}', [[['__proto__'], ONLY_ONCE]]],
])('%s has issues', (json, issues) => {
  expect(listIssues(json)).toEqual(issues);
});

test.each([
  '["a","a"]',
  '{"a":"b","b":"a"}',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":"\\"b\\":1,\\"b\\":2, 1e400 \\\\","b":1}',
  '"{\\"a\\":1e400}"',
])('%s has no issues', (json) => {
  expect(listIssues(json)).toEqual([]);
});

test.each<[string, (count: number) => string]>([
  ['zeros before a digit', (count) => `[1${'0'.repeat(count)}1]`],
  ['zeros of a fraction', (count) => `[1.${'0'.repeat(count)}]`],
  ['escaped characters', (count) => JSON.stringify('\n'.repeat(count))],
  ['names', (count) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])))],
])('%s take linear time', (_, createJson) => {
  const read = (count: number) => listIssues(createJson(count));
  expect(measureGrowth(read, 500)).toBeLessThan(MAX_LINEAR_GROWTH);
});
