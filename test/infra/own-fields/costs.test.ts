import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { COSTS_FILE, replaceMeasured } from '../../../infra/bench/costs/costs-page.ts';
import { measureOwnFields } from '../../../infra/bench/costs/own-fields.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

test('infra/costs.md has the measured cost of own fields', async () => {
  const page = replaceMeasured(readFileSync(COSTS_FILE, 'utf8'), await measureOwnFields(), 'own fields');
  await expect(page).toMatchFileSnapshot('../../../infra/costs.md');
});
