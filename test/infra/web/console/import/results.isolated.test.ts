import { expect, test } from 'vitest';
import type { RowResult } from '../../../../../infra/transfer/import-rows.ts';
import { MAX_SHOWN, Results } from '../../../../../infra/web/console/import/results.ts';

const readLines = async (results: Results) => (await new Blob(results.listParts()).text()).split('\n').slice(0, -1);

test('results are counted, and only those of a dry run are not logged', async () => {
  const results = new Results();
  const rows: RowResult[] = [
    { line: 2, result: 'created', id: '1' },
    { line: 3, result: 'invalid', issues: [{ message: 'is too long' }] },
    { line: 5, result: 'valid' },
  ];
  results.append(rows.slice(0, 2));
  results.append(rows.slice(2));
  expect(results.counts).toMatchObject({ created: 1, invalid: 1, valid: 1, exists: 0 });
  expect(results.rows).toBe(3);
  expect(results.doneUpTo).toBe(5);
  expect(results.rejected).toEqual([rows[1]]);
  expect((await readLines(results)).map((line) => JSON.parse(line))).toEqual(rows.slice(0, 2));
});

test('the page keeps the first rejected rows, and the file has all', async () => {
  const results = new Results();
  const count = MAX_SHOWN + 20;
  results.append(Array.from({ length: count }, (_, at) => ({ line: at + 2, result: 'invalid', issues: [] })));
  expect(results.rejected.map(({ line }) => line)).toEqual(Array.from({ length: MAX_SHOWN }, (_, at) => at + 2));
  expect(await readLines(results)).toHaveLength(count);
});
