import { expect, test } from 'vitest';
import { run } from './run.ts';

const options = {
  seed: 1,
  workers: 1,
  mutant: undefined,
  excluded: [],
  trace: false,
  shrinks: true,
  records: false,
  goesOn: false,
};
const silent = () => {};

test('a seed gives the same history, whichever came before it', async () => {
  const [first, second] = [
    await run({ ...options, histories: 14 }, silent),
    await run({ ...options, seed: 8, histories: 7 }, silent),
  ];
  expect(first.hashes).toHaveLength(14);
  expect(second.hashes).toEqual(first.hashes.slice(7));
});

test('a failing history is shrunk to one that fails, and replayed exactly', async () => {
  const broken = { ...options, mutant: 'change of address keeps the old claim', histories: 40 };
  const {
    failures: [failure],
  } = await run(broken, silent);
  expect(failure?.problems).toContainEqual(expect.stringMatching(/^the claim of \S+ is left over/));
  const again = await run(
    { ...broken, seed: failure?.seed ?? 0, histories: 1, excluded: failure?.excluded ?? [], shrinks: false },
    silent,
  );
  expect(again.failures[0]).toEqual(failure);
});
