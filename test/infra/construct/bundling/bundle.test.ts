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
  'list-users': 249,
  'get-user': 218,
  'create-user': 253,
  'replace-user': 255,
  'update-user': 255,
  'delete-user': 235,
  graphql: 564,
  'graphql-server': 576,
  'on-change': 204,
  'publish-events': 188,
  'index-pages': 253,
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
