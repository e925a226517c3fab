import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COSTS_FILE } from '../../infra/bench/costs/costs-page.ts';
import { measureIndexRuns } from '../../infra/bench/costs/index-runs.ts';

const RUNS_PER_MONTH = 43_800;

const costs = readFileSync(COSTS_FILE, 'utf8');

/** Cost per run. */
function readCost(name: string): { writes: number; seconds: number } {
  const line = costs.split('\n').find((each) => each.startsWith(`| ${name} |`));
  const [, , writes = NaN, seconds = NaN] =
    line?.split(' | ').map((cell) => Number(cell.replaceAll(',', '')) / RUNS_PER_MONTH) ?? [];
  return { writes, seconds };
}

test('infra/costs.md shows the writes and the duration of index-pages without and with new users', async () => {
  const [empty, busy, idle] = await measureIndexRuns([0, 1, 0]);
  const { reads = 0, writes = 0 } = empty?.cost ?? {};
  const units = [reads, writes].map((each) => (each * RUNS_PER_MONTH).toLocaleString('en'));
  expect(costs).toContain(`| page index, a month of an empty table | ${units.join(' | ')} |`);
  const written = {
    idle: readCost('page index, a month without new users'),
    beyond: readCost('page index, beyond it: a month of 1 new user a second'),
  };
  expect(written.idle.writes).toBe(idle?.cost.writes);
  expect(written.idle.seconds).toBeCloseTo(idle?.seconds ?? 0, 0);
  // A run with work has two pauses of two seconds.
  expect(written.beyond.seconds).toBeGreaterThan(4);
  expect(written.idle.seconds + written.beyond.seconds).toBeCloseTo(busy?.seconds ?? 0, 0);
});
