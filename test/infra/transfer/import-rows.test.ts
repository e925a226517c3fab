import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { decompress } from '../../../infra/transfer/decompress.ts';
import { createCounts, importRows, type RowResult, type Target } from '../../../infra/transfer/import-rows.ts';
import { Pace } from '../../../infra/transfer/pace.ts';
import { readRows, type UserRow } from '../../../infra/transfer/rows.ts';

const busy = new Error('busy');

const createResults = () => {
  const written: RowResult[] = [];
  return {
    written,
    counts: createCounts(),
    doneUpTo: 0,
    append: (results: readonly RowResult[]) => void written.push(...results),
  };
};

const createTarget = (write: (row: UserRow) => Promise<RowResult>): Target => ({
  ...{ maxRows: 1, maxCharacters: 1_000, maxParallel: 4 },
  isBusy: (error) => error === busy,
  write: async (rows) => Promise.all(rows.map(write)),
});

async function run(
  chunks: AsyncIterable<Uint8Array>,
  stopping: AbortController,
  write: (row: UserRow) => Promise<RowResult> = async ({ line }) => ({ line, result: 'created', id: `${line}` }),
) {
  const { signal } = stopping;
  const results = createResults();
  const target = createTarget(write);
  const pace = new Pace({ maxLimit: 4, isBusy: target.isBusy, signal, pause: async () => stopping.abort() });
  const rows = readRows(decompress(chunks, (chunks) => chunks, { signal }));
  const isComplete = await importRows(rows, { target, pace, results, signal });
  return { isComplete, lines: results.written.map(({ line }) => line) };
}

const ROWS = 'name,email\nAda,ada@example.org\nBob,bob@example.org\nEve,eve@example.org\n';

test.each([
  ['a line without an end', ROWS, ' '],
  ['a first line without an end', '', 'x'],
  ['blank lines', ROWS, '\n'],
])('an import that is stopped ends within %s, with results of the rows before', async (_, start, endless) => {
  const stopping = new AbortController();
  let read = 0;
  async function* chunks() {
    yield Buffer.from(start);
    while (read++ < 1_000) {
      if (read === 10) stopping.abort();
      await setImmediate();
      yield Buffer.from(endless.repeat(1_000));
    }
  }
  const { isComplete, lines } = await run(chunks(), stopping);
  expect({ isComplete, lines }).toEqual({ isComplete: false, lines: start ? expect.arrayContaining([2]) : [] });
  expect(read).toBe(10);
});

test('an import that is stopped waits no longer for a service that is busy', async () => {
  const stopping = new AbortController();
  async function* chunks() {
    yield Buffer.from(ROWS);
  }
  let attempts = 0;
  const { isComplete, lines } = await run(chunks(), stopping, async ({ line }) => {
    if (line === 3 && ++attempts > 0) throw busy;
    return { line, result: 'created', id: `${line}` };
  });
  expect({ isComplete, lines, attempts }).toEqual({ isComplete: false, lines: [2], attempts: 1 });
});

/** Imports rows of these sizes, in characters. Returns the line numbers of each written batch. */
async function listBatches(sizes: number[], limits: { maxRows: number; maxCharacters: number }, doneUpTo = 0) {
  const batches: number[][] = [];
  async function* rows(): AsyncGenerator<UserRow> {
    for (const [at, size] of sizes.entries()) {
      const user = { name: 'Ada', email: `ada.${at}@example.org` };
      yield { line: at + 1, size, user, kept: {}, posts: [] };
    }
  }
  const target: Target = {
    ...{ ...limits, maxParallel: 1, isBusy: () => false },
    async write(rows) {
      batches.push(rows.map(({ line }) => line));
      return rows.map(({ line }) => ({ line, result: 'created', id: `${line}` }));
    },
  };
  const results = { ...createResults(), doneUpTo };
  await importRows(rows(), { target, pace: new Pace({ maxLimit: 1, isBusy: () => false }), results });
  expect(results.written.map(({ line }) => line)).toEqual(batches.flat());
  return batches;
}

test.each([
  ['as many rows as allowed', [1, 1, 1, 1, 1], { maxRows: 2, maxCharacters: 100 }, [[1, 2], [3, 4], [5]]],
  ['as many characters as allowed', [4, 6, 1, 9, 1], { maxRows: 9, maxCharacters: 10 }, [[1, 2], [3, 4], [5]]],
  ['a row that is longer than allowed', [50, 50, 1], { maxRows: 9, maxCharacters: 10 }, [[1], [2], [3]]],
])('a batch has %s', async (_, sizes, limits, batches) => {
  expect(await listBatches(sizes, limits)).toEqual(batches);
});

test('rows with results from before are not written again', async () => {
  expect(await listBatches([1, 1, 1], { maxRows: 9, maxCharacters: 100 }, 2)).toEqual([[3]]);
});
