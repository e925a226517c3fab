import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const files = globSync('test/e2e/*.in').map((input) => ({ input, output: input.replace(/\.in$/, '.txt') }));

/** Joins the lines of each requirement, and leaves comments out. */
const readRequirements = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));

test.each(files)('every Python package of $output is pinned to a version and the hashes of its files', ({ output }) => {
  const requirements = readRequirements(output);
  expect(requirements.length).toBeGreaterThan(5);
  for (const requirement of requirements)
    expect(requirement).toMatch(/^[\w.-]+==[\w.]+( ;[^-]+)?( +--hash=sha256:[0-9a-f]{64})+$/);
});

test.each(files)('$output has what $input asks for', ({ input, output }) => {
  const pinned = readRequirements(output);
  for (const wanted of readRequirements(input))
    expect(
      pinned.some((pin) => pin.startsWith(`${wanted} `)),
      wanted,
    ).toBe(true);
});
