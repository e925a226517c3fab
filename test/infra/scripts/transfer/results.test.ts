import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Results } from '../../../../infra/scripts/transfer/results.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the results', () => {
  const created = (line: number) => ({ line, result: 'created' as const, id: `id ${line}` });

  test('a run continues after the last whole line of one with the same input', async () => {
    const file = join(folder, 'killed.ndjson');
    const killed = await Results.open(file, 'input');
    killed.append([created(2), created(3)]);
    appendFileSync(file, '{"line":4,"resu');
    const continued = await Results.open(file, 'input');
    const { importId, startedAt } = killed;
    expect(continued).toMatchObject({ doneUpTo: 3, counts: { created: 2 }, importId, startedAt });
    continued.append([created(4)]);
    continued.close({ isComplete: true });
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).line)).toEqual([2, 3, 4]);
  });

  test.each(['another input', undefined])(
    'a run with %s begins again, and so does one after the end',
    async (input) => {
      const file = join(folder, 'other.ndjson');
      const killed = await Results.open(file, 'input');
      killed.append([created(2)]);
      expect(await Results.open(file, input)).toMatchObject({ doneUpTo: 0, counts: { created: 0 } });
      expect(readFileSync(file, 'utf8')).toBe('');
      const ended = await Results.open(file, 'input');
      ended.append([created(2)]);
      ended.close({ isComplete: true });
      const begun = await Results.open(file, 'input');
      expect(begun).toMatchObject({ doneUpTo: 0 });
      expect(begun.importId).not.toBe(ended.importId);
    },
  );
});
