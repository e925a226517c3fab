import { describe, expect, test } from 'vitest';
import { ProgressReport } from '../../../infra/scripts/progress.ts';

describe('the progress', () => {
  const report = (isTTY: boolean) => {
    const written: string[] = [];
    const clock = { ms: 0 };
    const progress = new ProgressReport('rows', { isTTY, write: (text) => written.push(text) }, () => clock.ms);
    for (let second = 1; second <= 25; second++) {
      clock.ms = second * 1000;
      progress.update({ count: second * 100, of: 10_000 });
    }
    progress.end();
    return written;
  };

  test('is a line every ten seconds where there is no terminal', () => {
    expect(report(false)).toEqual([
      '10 %, 1,000 rows, 90 a second, 2 min left\n',
      '20 %, 2,000 rows, 95 a second, 85 s left\n',
    ]);
  });

  test('is a bar on a terminal', () => {
    const written = report(true);
    expect(written.length).toBe(26);
    expect(written.at(-2)).toMatch(/^\r█{8}░{22} 25 %, 2,500 rows, 96 a second, \d+ s left/);
  });

  test('prints a warning at most every ten seconds', () => {
    const written: string[] = [];
    const clock = { ms: 0 };
    const progress = new ProgressReport('rows', { write: (text) => written.push(text) }, () => clock.ms);
    for (const ms of [1_000, 5_000, 10_999, 11_000]) {
      clock.ms = ms;
      progress.warn(`busy at ${ms}`);
    }
    expect(written).toEqual(['busy at 1000\n', 'busy at 11000\n']);
  });
});
