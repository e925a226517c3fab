import { expect, test, vi } from 'vitest';
import { createCounts, type RowResult } from '../../../infra/transfer/import-rows.ts';

// lib/ reads the fields on import.
vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});
const { importRows } = await import('../../../infra/transfer/import-rows.ts');
const { Pace } = await import('../../../infra/transfer/pace.ts');
const { readRows } = await import('../../../infra/transfer/rows.ts');

const check = (...rows: string[]) => checkFile('name,email,nickname', ...rows);

async function checkFile(...lines: string[]): Promise<RowResult[]> {
  async function* chunks() {
    yield new TextEncoder().encode(lines.join('\n'));
  }
  const written: RowResult[] = [];
  const results = {
    counts: createCounts(),
    doneUpTo: 0,
    append: (results: readonly RowResult[]) => void written.push(...results),
  };
  const pace = new Pace({ maxLimit: 1, isBusy: () => false });
  await importRows(readRows(chunks()), { target: undefined, pace, results });
  return written;
}

test('each repeated value is an issue, which names the first line that has it', async () => {
  const rows = ['Ada,ada@example.org,ada', 'Bob,bob@example.org,Ada', 'Eve,ada@example.org,ADA'];
  const nickname = { column: 'nickname', message: 'is the nickname of line 2, too' };
  expect(await check(...rows)).toEqual([
    { line: 2, result: 'valid' },
    { line: 3, result: 'invalid', issues: [nickname] },
    { line: 4, result: 'invalid', issues: [{ column: 'email', message: 'is the email of line 2, too' }, nickname] },
  ]);
});

test('a repeated id is an issue, because two rows would update one user', async () => {
  const id = '019a8b1c-0000-7000-8000-000000000001';
  const rows = [`${id},Ada,ada@example.org`, `${id.toUpperCase()},Bob,bob@example.org`];
  expect(await checkFile('id,name,email', ...rows)).toEqual([
    { line: 2, result: 'valid' },
    { line: 3, result: 'invalid', issues: [{ column: 'id', message: 'is the id of line 2, too' }] },
  ]);
});

test('the values of a rejected row are free for later rows', async () => {
  const rows = ['Ada,ada@example.org,ada', 'Bob,ada@example.org,bob', 'Eve,eve@example.org,bob'];
  expect((await check(...rows)).map(({ result }) => result)).toEqual(['valid', 'invalid', 'valid']);
});

test('null in NDJSON clears a field with kept ids, and otherwise means that the value is missing', async () => {
  const id = '019a8b1c-0000-7000-8000-000000000001';
  const ada = { name: 'Ada', email: 'ada@example.org' };
  async function read(keepIds: boolean) {
    async function* chunks() {
      yield new TextEncoder().encode(JSON.stringify({ ...ada, id, nickname: null, age: null, version: null }));
    }
    return Array.fromAsync(readRows(chunks(), { keepIds }));
  }
  expect(await read(false)).toEqual([expect.objectContaining({ user: ada })]);
  expect(await read(true)).toMatchObject([{ user: { ...ada, nickname: null, age: null }, kept: { id } }]);
});
