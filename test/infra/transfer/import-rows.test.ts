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

/** `sizes`: characters of each row. Returns the line numbers of each batch. */
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
  const pace = new Pace({ maxLimit: 1, isBusy: () => false });
  let progress = 0;
  const isComplete = await importRows(rows(), { target, pace, results, onProgress: () => progress++ });
  expect({ isComplete, progress }).toEqual({ isComplete: true, progress: batches.length });
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

/** Imports one row per batch, one batch at a time. `read` yields the rows, and `write` receives each line. */
async function importSlowly(
  read: (createRow: (line: number) => UserRow) => AsyncGenerator<UserRow>,
  write: (line: number) => void,
  { maxRows = 1, signal }: { maxRows?: number; signal?: AbortSignal } = {},
) {
  const createRow = (line: number): UserRow => {
    const user = { name: 'Ada', email: `ada.${line}@example.org` };
    return { line, size: 1, user, kept: {}, posts: [] };
  };
  const target: Target = {
    ...{ maxRows, maxCharacters: 100, maxParallel: 1, isBusy: () => false },
    async write(rows) {
      for (const { line } of rows) write(line);
      return rows.map(({ line }) => ({ line, result: 'created', id: `${line}` }));
    },
  };
  const results = createResults();
  const pace = new Pace({ maxLimit: 1, isBusy: () => false });
  const isComplete = await importRows(read(createRow), { target, pace, results, ...(signal ? { signal } : {}) });
  return { isComplete, lines: results.written.map(({ line }) => line) };
}

test('an import that is stopped during a batch reports its results and writes no other', async () => {
  const stopping = new AbortController();
  async function* read(createRow: (line: number) => UserRow) {
    for (let line = 2; line < 100; line++) {
      await setImmediate();
      yield createRow(line);
    }
  }
  const write = (line: number) => line === 3 && stopping.abort();
  const { isComplete, lines } = await importSlowly(read, write, { signal: stopping.signal });
  expect({ isComplete, lines }).toEqual({ isComplete: false, lines: [2, 3] });
});

test('an import that is stopped while the last rows are read does not write them', async () => {
  const stopping = new AbortController();
  async function* read(createRow: (line: number) => UserRow) {
    yield createRow(2);
    yield createRow(3);
    stopping.abort();
  }
  expect(await importSlowly(read, () => {}, { maxRows: 10, signal: stopping.signal })).toEqual({
    isComplete: false,
    lines: [],
  });
});

test('an import fails with the error of a file that cannot be read', async () => {
  async function* read(createRow: (line: number) => UserRow) {
    yield createRow(2);
    throw new Error('no such disk');
  }
  await expect(importSlowly(read, () => {})).rejects.toThrow('no such disk');
});

test('the rows before an unreadable part of the file get results', async () => {
  async function* chunks() {
    yield Buffer.from(ROWS);
    throw new Error('The gzip data is damaged');
  }
  const results = createResults();
  const target = {
    ...createTarget(async ({ line }) => {
      await setImmediate();
      return { line, result: 'created', id: `${line}` };
    }),
    maxRows: 2,
  };
  const pace = new Pace({ maxLimit: 4, isBusy: target.isBusy });
  await expect(importRows(readRows(chunks()), { target, pace, results })).rejects.toThrow('The gzip data is damaged');
  expect(results.written.map(({ line }) => line)).toEqual([2, 3, 4]);
});

test('an import fails with the error of a write that cannot be retried', async () => {
  async function* read(createRow: (line: number) => UserRow) {
    yield createRow(2);
  }
  const write = () => {
    throw new Error('no such table');
  };
  await expect(importSlowly(read, write)).rejects.toThrow('no such table');
});

test('a dry run names the unchecked fields that a row has', async () => {
  async function* rows(): AsyncGenerator<UserRow> {
    const own: object[] = [{ team: 'A', level: 3 }, { team: 'B' }, {}];
    for (const [at, fields] of own.entries()) {
      const user = { name: 'Ada', email: `ada.${at}@example.org`, ...fields };
      yield { line: at + 2, size: 1, user, kept: {}, posts: [] };
    }
  }
  const results = createResults();
  const pace = new Pace({ maxLimit: 1, isBusy: () => false });
  await importRows(rows(), { target: undefined, pace, results, unchecked: ['level', 'team', 'size'] });
  expect(results.written).toEqual([
    { line: 2, result: 'valid', unchecked: ['level', 'team'] },
    { line: 3, result: 'valid', unchecked: ['team'] },
    { line: 4, result: 'valid' },
  ]);
});

test('batches of more than 4,000,000 characters together are not written at once', async () => {
  let [underWay, most] = [0, 0];
  async function* rows(): AsyncGenerator<UserRow> {
    for (let line = 2; line < 6; line++)
      yield { line, size: 2_500_000, user: { name: 'Ada', email: `ada.${line}@example.org` }, kept: {}, posts: [] };
  }
  const target: Target = {
    ...{ maxRows: 1, maxCharacters: 5_000_000, maxParallel: 4, isBusy: () => false },
    async write(batch) {
      most = Math.max(most, ++underWay);
      await setImmediate();
      underWay--;
      return batch.map(({ line }) => ({ line, result: 'created', id: `${line}` }));
    },
  };
  const pace = new Pace({ maxLimit: 4, isBusy: () => false });
  await importRows(rows(), { target, pace, results: createResults() });
  expect(most).toBe(1);
});
