import { expect, test } from 'vitest';
import { FirstLines } from '../../../infra/transfer/first-lines.ts';

test('the first line of each value is found among many', () => {
  const lines = new FirstLines();
  const values = Array.from({ length: 10_000 }, (_, at) => `value ${at}`);
  expect(values.filter((value) => lines.find(value) !== undefined)).toEqual([]);
  for (const [at, value] of values.entries()) lines.add(value, at + 1);
  lines.add('value 7', 20_000);
  expect(values.map((value) => lines.find(value))).toEqual(values.map((_, at) => at + 1));
  expect(lines.find('another value')).toBe(undefined);
});
