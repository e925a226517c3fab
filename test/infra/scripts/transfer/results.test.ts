import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Results } from '../../../../infra/scripts/transfer/results.ts';
import type { RowResult } from '../../../../infra/transfer/import-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the results', () => {
  const created = (line: number) => ({ line, result: 'created' as const, id: `id ${line}` });

  test('a run continues after the last whole line of one with the same input', async () => {
    const file = join(folder, 'killed.ndjson');
    const killed = await Results.open(file, 'input');
    killed.append([created(2), created(3)]);
    killed.close({ isComplete: false });
    appendFileSync(file, '{"line":4,"resu');
    const continued = await Results.open(file, 'input');
    const { importId, startedAt } = killed;
    expect(continued).toMatchObject({ doneUpTo: 3, counts: { created: 2 }, importId, startedAt });
    continued.append([created(4)]);
    continued.close({ isComplete: true });
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).line)).toEqual([2, 3, 4]);
  });

  test('a run continues one that sent rows and stopped before their results', async () => {
    const file = join(folder, 'sent.ndjson');
    const stopped = await Results.open(file, 'input');
    stopped.markSent();
    stopped.close({ isComplete: false });
    // The second run stops before it sends rows.
    for (const _ of [1, 2]) {
      const continued = await Results.open(file, 'input');
      expect(continued).toMatchObject({ doneUpTo: 0, importId: stopped.importId });
      continued.close({ isComplete: false });
    }
  });

  const finish = async (file: string, rows: RowResult[]) => {
    const results = await Results.open(file, 'input');
    results.append(rows);
    results.close({ isComplete: true });
    return results;
  };

  test.each([
    ['another input', 'another input', { isComplete: true }],
    ['the same input after its end', 'input', { isComplete: true }],
    ['standard input or a dry run', undefined, { isComplete: true }],
  ])('a run with %s replaces results of written users only with --force', async (name, input, end) => {
    const file = join(folder, `${name}.ndjson`);
    const first = await Results.open(file, 'input');
    first.append([{ line: 2, result: 'exists', id: 'id 2' }, created(3)]);
    first.close(end);
    const before = readFileSync(file, 'utf8');
    await expect(Results.open(file, input)).rejects.toThrow(
      `${file} names the users that an earlier import wrote. Pass another file with --results, or replace this one with --force`,
    );
    expect(readFileSync(file, 'utf8')).toBe(before);
    const second = await Results.open(file, input, { force: true });
    expect(second).toMatchObject({ doneUpTo: 0, counts: { created: 0 } });
    expect(second.importId).not.toBe(first.importId);
    expect(readFileSync(file, 'utf8')).toBe('');
    second.close({ isComplete: true });
  });

  test('a new run replaces results that name no written user, such as those of a dry run', async () => {
    const file = join(folder, 'unwritten.ndjson');
    await finish(file, [
      { line: 2, result: 'valid' },
      { line: 3, result: 'invalid', issues: [] },
      { line: 4, result: 'exists', id: 'id 4' },
    ]);
    const begun = await Results.open(file, 'input');
    expect(begun).toMatchObject({ doneUpTo: 0 });
    begun.close({ isComplete: true });
  });

  test('--force replaces no other file, and starts an unfinished import over', async () => {
    const file = join(folder, 'forced.ndjson');
    writeFileSync(file, 'name,email\n');
    await expect(Results.open(file, 'input', { force: true })).rejects.toThrow('does not contain import results');
    rmSync(file);
    const stopped = await Results.open(file, 'input');
    stopped.append([created(2)]);
    stopped.close({ isComplete: false });
    const begun = await Results.open(file, 'input', { force: true });
    expect(begun).toMatchObject({ doneUpTo: 0, counts: { created: 0 } });
    expect(readFileSync(file, 'utf8')).toBe('');
    begun.close({ isComplete: true });
  });

  test.each([
    ['a dry run', undefined, { line: 2, result: 'exists' as const, id: 'id 2' }],
    ['another input', 'another input', created(2)],
  ])('%s does not replace the results of an unfinished import', async (name, input, row) => {
    const file = join(folder, `unfinished ${name}.ndjson`);
    const stopped = await Results.open(file, 'input');
    stopped.append([row]);
    stopped.close({ isComplete: false });
    await expect(Results.open(file, input)).rejects.toThrow(
      `${file} has the results of an import that has not ended, and continues with the same command, file and table. Pass another file with --results, or replace this one with --force`,
    );
    const continued = await Results.open(file, 'input');
    expect(continued).toMatchObject({ doneUpTo: 2 });
    continued.close({ isComplete: true });
  });

  test('one import at a time writes them, until it ends', async () => {
    const file = join(folder, 'locked.ndjson');
    const first = await Results.open(file, 'input');
    first.append([created(2)]);
    await expect(Results.open(file, 'input')).rejects.toThrow(`Another import is writing ${file}`);
    first.close({ isComplete: false });
    const second = await Results.open(file, 'input');
    expect(second).toMatchObject({ doneUpTo: 2 });
    second.close({ isComplete: true });
    expect(readdirSync(folder).filter((name) => name.startsWith('locked'))).toEqual(['locked.ndjson']);
  });

  test.each([
    ['no JSON', 'x'],
    ['no result', '{"line":4}'],
    ['the result of an earlier line', JSON.stringify(created(2))],
  ])('a line in them that is %s is told with the file and what to do', async (_, line) => {
    const file = join(folder, 'damaged.ndjson');
    const stopped = await Results.open(file, 'input');
    stopped.append([created(2), created(3)]);
    stopped.close({ isComplete: false });
    appendFileSync(file, `${line}\n${JSON.stringify(created(5))}\n`);
    for (const _ of [1, 2])
      await expect(Results.open(file, 'input')).rejects.toThrow(
        `Line 3 of ${file} is not a result of this import: remove the file to start over, or pass another one with --results`,
      );
    rmSync(file);
    const begun = await Results.open(file, 'input');
    expect(begun).toMatchObject({ doneUpTo: 0 });
    begun.close({ isComplete: true });
  });
});
