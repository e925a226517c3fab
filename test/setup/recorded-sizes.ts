import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { expect } from 'vitest';

const MAX_GROWTH = 0.1;

type Sizes = Record<string, number>;

/**
 * Compares sizes (in kB) with the recorded ones. Throws if one has grown by more than a tenth. `--update` records them.
 */
export function compareSizes(file: string, measured: Sizes): void {
  const sizes = Object.fromEntries(Object.entries(measured).map(([name, size]) => [name, Math.round(size * 10) / 10]));
  if (expect.getState().snapshotState.snapshotUpdateState === 'all') {
    writeFileSync(file, `${JSON.stringify(sizes, undefined, 2)}\n`);
    return;
  }
  const recorded: Sizes = JSON.parse(readFileSync(file, 'utf8'));
  const changes = Object.entries(sizes)
    .map(([name, size]) => ({ name, size, before: recorded[name] ?? 0 }))
    .filter(({ size, before }) => size !== before);
  const lines = changes.map(({ name, size, before }) => `${name} ${before} → ${size} kB`);
  // Write to the descriptor, because Vitest hides the output of passing tests.
  if (lines.length > 0) writeSync(2, `Since ${file} was recorded: ${lines.join(', ')}\n`);
  const grown = changes.filter(({ size, before }) => size > before * (1 + MAX_GROWTH)).map(({ name }) => name);
  expect(
    grown,
    `They have grown by more than a tenth, or are new: --update records the sizes. ${lines.join(', ')}`,
  ).toEqual([]);
}
