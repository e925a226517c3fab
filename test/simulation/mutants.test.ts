import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findMutant, mutantNames } from './mutants/mutants.ts';

test.each(mutantNames)('the mutant "%s" changes one place of its source', (name) => {
  const { file, find, replace } = findMutant(name);
  expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
});
