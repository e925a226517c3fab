import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundle } from '../../../../infra/construct/bundling/bundle.ts';
import { bundleNames } from '../../../../infra/construct/grants.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
afterAll(() => rm(folder, { recursive: true }));

/** Budgets are in kB. A bundle that needs more must be worth it: a function compiles all of it before its first answer. */
const BUDGETS: Record<string, number> = {
  'list-users': 252,
  'get-user': 222,
  'create-user': 256,
  'replace-user': 258,
  'update-user': 258,
  'delete-user': 238,
  graphql: 568,
  'graphql-server': 580,
  'on-change': 206,
  'publish-events': 189,
  'index-pages': 255,
};

/** An operation that has no budget may be as large as the largest. */
const DEFAULT_BUDGET = 250;

const { outputs } = await bundle(bundleNames, folder);
const sizes = new Map(Object.entries(outputs).map(([path, { bytes }]) => [basename(path), bytes / 1000]));

test.each(bundleNames.map((name) => [name, BUDGETS[name] ?? DEFAULT_BUDGET] as const))(
  'the bundle of %s has at most %i kB',
  (name, budget) => {
    expect(sizes.get(`${name}.mjs`)).toBeGreaterThan(50);
    expect(sizes.get(`${name}.mjs`), 'npx esbuild --analyze shows what it contains').toBeLessThanOrEqual(budget);
  },
);
